import * as z from 'zod';
import { ERROR_CODES } from '#domain/error-codes.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { loadedPerService } from '#service/per-service.ts';
import { page } from '../page-words.ts';
import { type Html, html } from '../pages/html.ts';
import { sendPage } from '../pages/page.ts';
import { guideSections } from './guide.ts';
import { markdownOf } from './markdown.ts';
import {
  type OpenApiDocument,
  operationsOf,
  type Reference,
  resolveSchema,
  type Schema,
  tagsOf,
} from './openapi-document.ts';
import { referenceOf, referenceTo } from './reference.ts';
import { makeDocs, plainBody } from './reference-page.ts';
import { inline } from './words.ts';

interface SearchEntry {
  readonly title: string;
  readonly address: string;
  readonly text: string;
}

const MAX_RESULTS = 40;
const MAX_QUERY_CHARS = 200;
const MAX_EXCERPT_CHARS = 400;

const gatewayOf = referenceTo(PUBLIC_ROUTES.gatewayOpenApi);
const operatorOf = referenceTo(PUBLIC_ROUTES.operatorOpenApi);

const entriesOf = loadedPerService(async (service) => {
  const [of, gateway, operator] = [await referenceOf(service), await gatewayOf(service), await operatorOf(service)];
  return [
    ...guideEntries(of),
    ...operationEntries(of.document, href(PUBLIC_ROUTES.docs)),
    ...codeEntries(),
    ...operationEntries(gateway.document, href(PUBLIC_ROUTES.gatewayDocs)),
    ...operationEntries(operator.document, href(PUBLIC_ROUTES.operatorDocs)),
  ];
});

/** Draws a page for each question. */
export const searchDocs = operation({
  route: PUBLIC_ROUTES.searchDocs,
  scope: 'public',
  query: z.object({ q: z.string().optional().meta({ description: 'The words.' }) }),
  handler: async (service, { request, url }) => {
    const query = (url.searchParams.get('q') ?? '').slice(0, MAX_QUERY_CHARS).trim();
    const page = await makeDocs('Search · Tickreel', resultsBody(query, found(await entriesOf(service), query)));
    return sendPage(page, request);
  },
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Search the reference',
  description: 'Finds operations, fields, kinds of problem and error codes that have all of the words.',
  answers: { 200: page('What was found.') },
});

function guideEntries(of: Reference): SearchEntry[] {
  return guideSections(of).map(({ id, title, body: section }) => ({
    title,
    address: `${href(PUBLIC_ROUTES.docs)}#${id}`,
    text: markdownOf(section),
  }));
}

/** Entries with all words in their title come first. */
function found(all: readonly SearchEntry[], query: string): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fitting = all.filter(({ title, text }) => has(`${title} ${text}`));
  return [...fitting.filter(({ title }) => has(title)), ...fitting.filter(({ title }) => !has(title))].slice(
    0,
    MAX_RESULTS,
  );
}

function codeEntries(): SearchEntry[] {
  return [
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
  ];
}

/** Returns an entry for each operation, and for each field and parameter of its requests. */
function operationEntries(document: OpenApiDocument, page: string): SearchEntry[] {
  return tagsOf(document)
    .flatMap((tag) => operationsOf(document, tag))
    .flatMap(({ method, path, operation }) => {
      const address = `${page}#${operation.operationId}`;
      const sent = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
      const fields: [string, Schema][] = Object.entries(resolveSchema(document, sent).properties ?? {});
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      fields.push(
        ...parameters.map(({ name, schema, description = '' }): [string, Schema] => [name, { ...schema, description }]),
      );
      return [
        { title: operation.summary, address, text: `${method} ${path} · ${operation.description}` },
        ...fields.map(([name, field]) => ({
          title: name,
          address,
          text: `${operation.summary}: ${resolveSchema(document, field).description ?? ''}`,
        })),
      ];
    });
}

function resultsBody(query: string, results: readonly SearchEntry[]): Html {
  const list = results.map(
    ({ title, address, text }) => html`<li><a href="${address}">${title}</a><p>${inline(beginningOf(text))}</p></li>`,
  );
  const hint = query === '' ? 'Type what you are looking for.' : `Nothing has all of these words: ${query}`;
  const content = list.length === 0 ? html`<p class="lead">${hint}</p>` : html`<ul class="found">${list}</ul>`;
  return plainBody('Search', html`<h1>Search</h1>\n${content}`, query);
}

/** Returns the first paragraph. */
function beginningOf(text: string): string {
  const [first = ''] = text.replace(/^[-|#]+ /, '').split(/\n\n|\n- |\n\|/);
  return first.length > MAX_EXCERPT_CHARS ? `${first.slice(0, MAX_EXCERPT_CHARS)} …` : first;
}
