import { PROBLEMS } from '#protocol/problem.ts';
import { html } from '../pages/html.ts';
import { codeBox, jsonCode } from './code-sample.ts';
import { OPENAPI } from './openapi-document.ts';
import { createDocsPage, plainBody } from './reference-page.ts';
import { inline } from './words.ts';

/** `GET /docs/problems`: the page that the `type` of every problem links to. */
export const problemsPage = createDocsPage('Kinds of problem · Tickreel', () => {
  const kinds = Object.entries(PROBLEMS).map(
    ([kind, { status, title, meaning }]) => html`<section class="kind" id="${kind}">
<h2><span class="status">${status}</span> <a href="#${kind}">${title}</a></h2>
<p class="address"><code>${kind}</code></p>
<p>${inline(meaning)}</p>
</section>`,
  );
  const example = OPENAPI.components.responses.invalid_request?.content?.['application/problem+json']?.examples;
  return plainBody(
    'Kinds of problem',
    html`<h1>Kinds of problem</h1>
<p class="lead">Every error that the service answers is one of these (RFC 9457). <code>type</code> names its kind and leads here; <code>detail</code> says what it was this time; <code>request_id</code> lets us find it.</p>
${Object.values(example ?? {}).map(({ value }) => codeBox('for example', jsonCode(value)))}
${kinds}`,
  );
});
