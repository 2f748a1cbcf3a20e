import { ERROR_CODES } from '#domain/error-codes.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import type { PageHandler } from '../page-handler.ts';
import { type Html, html } from '../pages/html.ts';
import { sendPage } from '../pages/page.ts';
import { guideSections } from './guide.ts';
import { markdownOf } from './markdown.ts';
import {
  CLIENT_TAGS,
  GATEWAY_TAGS,
  OPERATOR_TAGS,
  operationsOf,
  resolveSchema,
  type Schema,
} from './openapi-document.ts';
import { docsBar, makeDocs } from './reference-page.ts';
import { inline } from './words.ts';

interface Entry {
  readonly title: string;
  readonly address: string;
  readonly text: string;
}

const MOST_FOUND = 40;
const MOST_LETTERS = 200;
const SHOWN_LETTERS = 400;

/** `GET /docs/search?q=`: what has all of the words, drawn for each question. */
export function createSearchPage(baseUrl: string, clipTtl: number): PageHandler {
  let entries: readonly Entry[] | null = null;
  return async (_, { request }) => {
    const query = (new URL(request.url).searchParams.get('q') ?? '').slice(0, MOST_LETTERS).trim();
    entries ??= [...guideEntries(baseUrl, clipTtl), ...allEntries()];
    const page = await makeDocs('Search · Tickreel', body(query, found(entries, query)));
    return sendPage(page, request);
  };
}

function guideEntries(baseUrl: string, clipTtl: number): Entry[] {
  return guideSections(baseUrl, clipTtl).map(({ id, title, body: section }) => ({
    title,
    address: `${href(PUBLIC_ROUTES.docs)}#${id}`,
    text: markdownOf(section),
  }));
}

/** Those that name the words in their title come first, each in the order of the reference. */
function found(all: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fitting = all.filter(({ title, text }) => has(`${title} ${text}`));
  return [...fitting.filter(({ title }) => has(title)), ...fitting.filter(({ title }) => !has(title))].slice(
    0,
    MOST_FOUND,
  );
}

function allEntries(): Entry[] {
  const docs = href(PUBLIC_ROUTES.docs);
  return [
    ...operationEntries(docs, CLIENT_TAGS),
    ...Object.entries(ERROR_CODES).map(([title, { meaning }]) => ({
      title,
      address: href(PUBLIC_ROUTES.errorDocs, { code: title }),
      text: `Why a job fails: ${meaning}`,
    })),
    ...Object.entries(PROBLEMS).map(([kind, { title, meaning }]) => ({
      title: kind,
      address: `${href(PUBLIC_ROUTES.problemDocs)}#${kind}`,
      text: `${title}. ${meaning}`,
    })),
    ...operationEntries(href(PUBLIC_ROUTES.gatewayDocs), GATEWAY_TAGS),
    ...operationEntries(href(PUBLIC_ROUTES.operatorDocs), OPERATOR_TAGS),
  ];
}

/** An operation, then what can be sent to it. */
function operationEntries(page: string, tags: readonly string[]): Entry[] {
  return tags.flatMap(operationsOf).flatMap(({ method, path, operation }) => {
    const address = `${page}#${operation.operationId}`;
    const sent = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
    const fields: [string, Schema][] = Object.entries(resolveSchema(sent).properties ?? {});
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    fields.push(
      ...parameters.map(({ name, schema, description = '' }): [string, Schema] => [name, { ...schema, description }]),
    );
    return [
      { title: operation.summary, address, text: `${method} ${path} · ${operation.description}` },
      ...fields.map(([name, field]) => ({
        title: name,
        address,
        text: `${operation.summary}: ${resolveSchema(field).description ?? ''}`,
      })),
    ];
  });
}

function body(query: string, results: readonly Entry[]): Html {
  const list = results.map(
    ({ title, address, text }) => html`<li><a href="${address}">${title}</a><p>${inline(beginningOf(text))}</p></li>`,
  );
  const said = query === '' ? 'Type what you are looking for.' : `Nothing has all of these words: ${query}`;
  return html`${docsBar('Search', html`<a class="raw" href="${href(PUBLIC_ROUTES.docs)}">Reference</a>`, query)}
<main class="problems">
<h1>Search</h1>
${list.length === 0 ? html`<p class="lead">${said}</p>` : html`<ul class="found">${list}</ul>`}
</main>`;
}

/** Its first paragraph. */
function beginningOf(text: string): string {
  const [first = ''] = text.replace(/^[-|#]+ /, '').split(/\n\n|\n- |\n\|/);
  return first.length > SHOWN_LETTERS ? `${first.slice(0, SHOWN_LETTERS)} …` : first;
}
