import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type Html, html } from '../pages/html.ts';
import { callSamples, codeBox, jsonCode } from './code-sample.ts';
import {
  type AddressedOperation,
  type MediaType,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  operationsOf,
  type Parameter,
  type Reference,
  resolveAnswer,
} from './openapi-document.ts';
import { fieldTable, parameterTable } from './schema-table.ts';
import { inline, paragraphs } from './words.ts';

const KEY_NAMES: Record<string, string> = {
  apiKey: 'API key',
  hostToken: 'host token',
  registrationToken: "registration's token",
  operatorToken: "operator's token",
  consoleSession: "operator's token or session",
  metricsToken: "monitor's token",
};

/** Returns the section of an operation: its description on the left, samples of requests and answers on the right. */
export function operationSection({ document, baseUrl }: Reference, addressed: AddressedOperation): Html {
  const { method, path, operation } = addressed;
  const [scheme] = Object.keys(operation.security[0] ?? {});
  return html`<section class="operation" id="${operation.operationId}">
<div class="say">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address">${methodBadge(method)} <code>${path}</code><span class="key">${KEY_NAMES[scheme ?? ''] ?? 'no key'}</span></p>
${paragraphs(operation.description)}
${parameterBlock(document, 'In the path', 'path', operation.parameters)}
${parameterBlock(document, 'In the query', 'query', operation.parameters)}
${parameterBlock(document, 'Headers', 'header', operation.parameters)}
${bodyBlock(document, operation)}
${answersBlock(document, operation)}
</div>
<div class="show">${callSamples(addressed, baseUrl)}${otherRequests(operation.requestBody?.content)}${answerSamples(
    operation.responses,
  )}</div>
</section>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function parameterBlock(
  document: OpenApiDocument,
  title: string,
  kind: Parameter['in'],
  parameters: readonly Parameter[] = [],
): Html | null {
  const found = parameters.filter((parameter) => parameter.in === kind);
  return found.length === 0 ? null : html`<h4>${title}</h4>${parameterTable(document, found)}`;
}

/** Returns a link to the first operation of the section that has a shape there; null if that is this operation. */
function sameShape(
  document: OpenApiDocument,
  { operationId, tags }: OpenApiOperation,
  place: 'requestBody' | 'responses',
  shape: string | undefined,
): Html | null {
  const has = `"schema":{"$ref":"${shape}"}`;
  const section = operationsOf(document, tags[0] ?? '').map(({ operation }) => operation);
  const first = section.find((other) => JSON.stringify(other[place])?.includes(has));
  if (!first || first.operationId === operationId) return null;
  return html`As in <a href="#${first.operationId}">${first.summary}</a>.`;
}

/** Returns the fields of a body, or a link to the first operation of the section with the same. */
function bodyBlock(document: OpenApiDocument, operation: OpenApiOperation): Html | null {
  if (!operation.requestBody) return null;
  const { content } = operation.requestBody;
  const [type = '', media] = Object.entries(content)[0] ?? [];
  const same = sameShape(document, operation, 'requestBody', media?.schema?.$ref);
  if (same) return html`<h4>Body</h4><p>${same}</p>`;
  if (media?.schema)
    return html`<h4>Body <span class="mime">${type}</span></h4>${fieldTable(document, media.schema, 'sent')}`;
  return html`<h4>Body</h4><p>The bytes of the file, as ${Object.keys(content).map((name) => html`<code>${name}</code> `)}</p>`;
}

function answersBlock(document: OpenApiDocument, operation: OpenApiOperation): Html {
  const rows = Object.entries(operation.responses).map(([status, given]) => {
    const answer = resolveAnswer(document, given);
    const [media] = Object.values(answer.content ?? {});
    const problems = Object.keys(answer.content?.['application/problem+json']?.examples ?? {});
    if (problems.length > 0) {
      const links = problems.map(
        (kind) => html`<a href="${href(PUBLIC_ROUTES.problemDocs)}#${kind}"><code>${kind}</code></a> `,
      );
      return html`<tr class="problem"><th scope="row"><span class="status">${status}</span></th><td>${links}</td></tr>`;
    }
    const shape = media?.schema?.contentSchema ?? media?.schema;
    const fields =
      sameShape(document, operation, 'responses', shape?.$ref) ??
      (shape?.$ref && html`<details><summary>Its fields</summary>${fieldTable(document, shape, 'answered')}</details>`);
    return html`<tr><th scope="row"><span class="status ${Number(status) < 400 ? 'ok' : ''}">${status}</span></th><td>${inline(answer.description ?? '')} ${fields || null}</td></tr>`;
  });
  return html`<h4>Answers</h4><table class="answers"><tbody>${rows}</tbody></table>`;
}

/** Returns the examples of a body, except the first: the sample of the call shows it. */
function otherRequests(content: Readonly<Record<string, MediaType>> | undefined): Html[] {
  const examples = Object.values(content ?? {}).flatMap(({ examples: named }) => Object.values(named ?? {}));
  return examples
    .slice(1)
    .map(
      ({ summary, value }) => html`<details><summary>${summary}</summary>${codeBox('body', jsonCode(value))}</details>`,
    );
}

/** Returns samples of answers. Equal answers share a box. */
function answerSamples(responses: Readonly<Record<string, OpenApiResponse>>): Html[] {
  const boxes = new Map<string, { titles: string[]; code: Html }>();
  for (const [status, { content = {} }] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    for (const { title, code } of Object.entries(content).flatMap(([type, media]) => samplesOf(type, media))) {
      const box = boxes.get(code.text) ?? { titles: [], code };
      box.titles.push(title === '' ? status : `${status} · ${title}`);
      boxes.set(code.text, box);
    }
  }
  const [first, ...rest] = [...boxes.values()].map(({ titles, code }) => codeBox(titles.join(', '), code));
  if (!first) return [];
  return rest.length === 0 ? [first] : [first, html`<details><summary>Other answers</summary>${rest}</details>`];
}

function samplesOf(type: string, { example, examples = {} }: MediaType): { title: string; code: Html }[] {
  if (example !== undefined) return [{ title: type, code: html`${example.trimEnd()}` }];
  return Object.values(examples).map(({ summary, value }) => ({
    title: summary === 'Example' ? '' : summary,
    code: jsonCode(value),
  }));
}
