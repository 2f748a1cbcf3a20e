import { type Html, html } from '../pages/html.ts';
import { callSamples, codeBox, jsonCode } from './code-sample.ts';
import {
  type AddressedOperation,
  type Answer,
  type MediaType,
  type Parameter,
  resolveAnswer,
} from './openapi-document.ts';
import { fieldTable, parameterTable } from './schema-table.ts';
import { inline, paragraphs } from './words.ts';

const KEY_NAMES: Record<string, string> = {
  apiKey: 'API key',
  hostToken: 'host token',
  operatorToken: "operator's token",
};

/** One operation: what it does and takes on the left, how to call it and what comes back on the right. */
export function operationSection(addressed: AddressedOperation, baseUrl: string): Html {
  const { method, path, operation } = addressed;
  const [scheme] = Object.keys(operation.security[0] ?? {});
  return html`<section class="operation" id="${operation.operationId}">
<div class="say">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address">${methodBadge(method)} <code>${path}</code><span class="key">${KEY_NAMES[scheme ?? ''] ?? 'no key'}</span></p>
${paragraphs(operation.description)}
${parameterBlock('In the path', 'path', operation.parameters)}
${parameterBlock('In the query', 'query', operation.parameters)}
${parameterBlock('Headers', 'header', operation.parameters)}
${bodyBlock(operation.requestBody?.content)}
${answersBlock(operation.responses)}
</div>
<div class="show">${callSamples(addressed, baseUrl)}${otherRequests(operation.requestBody?.content)}${answerSamples(
    operation.responses,
  )}</div>
</section>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function parameterBlock(title: string, place: Parameter['in'], parameters: readonly Parameter[] = []): Html | null {
  const here = parameters.filter((parameter) => parameter.in === place);
  return here.length === 0 ? null : html`<h4>${title}</h4>${parameterTable(here)}`;
}

function bodyBlock(content: Readonly<Record<string, MediaType>> | undefined): Html | null {
  if (!content) return null;
  const [type = '', media] = Object.entries(content)[0] ?? [];
  if (media?.schema) return html`<h4>Body <span class="mime">${type}</span></h4>${fieldTable(media.schema)}`;
  return html`<h4>Body</h4><p>The bytes of the file, as ${Object.keys(content).map((name) => html`<code>${name}</code> `)}</p>`;
}

function answersBlock(responses: Readonly<Record<string, Answer>>): Html {
  const rows = Object.entries(responses).map(([status, given]) => {
    const answer = resolveAnswer(given);
    const [media] = Object.values(answer.content ?? {});
    const problems = Object.keys(answer.content?.['application/problem+json']?.examples ?? {});
    if (problems.length > 0) {
      const links = problems.map((kind) => html`<a href="/docs/problems#${kind}"><code>${kind}</code></a> `);
      return html`<tr class="problem"><th scope="row"><span class="status">${status}</span></th><td>${links}</td></tr>`;
    }
    const fields = media?.schema
      ? html`<details><summary>Its fields</summary>${fieldTable(media.schema)}</details>`
      : null;
    return html`<tr><th scope="row"><span class="status ok">${status}</span></th><td>${inline(answer.description ?? '')}${
      media?.schema?.$ref ? fields : null
    }</td></tr>`;
  });
  return html`<h4>Answers</h4><table class="answers"><tbody>${rows}</tbody></table>`;
}

/** Examples of a body beyond the one that the call itself shows. */
function otherRequests(content: Readonly<Record<string, MediaType>> | undefined): Html[] {
  const examples = Object.values(content ?? {}).flatMap(({ examples: named }) => Object.values(named ?? {}));
  return examples
    .slice(1)
    .map(
      ({ summary, value }) => html`<details><summary>${summary}</summary>${codeBox('body', jsonCode(value))}</details>`,
    );
}

function answerSamples(responses: Readonly<Record<string, Answer>>): Html[] {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const samples = good.flatMap(([status, answer]) =>
    Object.entries(answer.content ?? {}).flatMap(([type, media]) => {
      if (media.example !== undefined) return [codeBox(`${status} · ${type}`, html`${media.example.trimEnd()}`)];
      return Object.values(media.examples ?? {}).map(({ summary, value }) =>
        codeBox(summary === 'Example' ? status : `${status} · ${summary}`, jsonCode(value)),
      );
    }),
  );
  const [first, ...rest] = unique(samples);
  if (!first) return [];
  return rest.length === 0 ? [first] : [first, html`<details><summary>Other answers</summary>${rest}</details>`];
}

/** 200 and 201 of a submit look alike: one of the two is enough. */
function unique(samples: readonly Html[]): Html[] {
  const code = ({ text }: Html) => text.slice(text.indexOf('<pre'));
  return samples.filter((sample, i) => samples.findIndex((other) => code(other) === code(sample)) === i);
}
