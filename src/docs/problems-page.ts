import { PROBLEMS } from '#protocol/problem.ts';
import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { page } from '../page-words.ts';
import { html } from '../pages/html.ts';
import { codeBox, jsonCode } from './code-sample.ts';
import { docsPage, plainBody } from './reference-page.ts';
import { inline } from './words.ts';

export const problemDocs = operation({
  route: PUBLIC_ROUTES.problemDocs,
  scope: 'public',
  handler: docsPage('Kinds of problem · Tickreel', ({ document }) => {
    const kinds = Object.entries(PROBLEMS).map(
      ([kind, { status, title, meaning }]) => html`<section class="kind" id="${kind}">
<h2><span class="status">${status}</span> <a href="#${kind}">${title}</a></h2>
<p class="address"><code>${kind}</code></p>
<p>${inline(meaning)}</p>
</section>`,
    );
    const example = document.components.responses.invalid_request?.content?.['application/problem+json']?.examples;
    return plainBody(
      'Kinds of problem',
      html`<h1>Kinds of problem</h1>
<p class="lead">Every error that the service answers is one of these (RFC 9457). <code>type</code> names its kind and leads here; <code>detail</code> says what it was this time; <code>request_id</code> lets us find it.</p>
${Object.values(example ?? {}).map(({ value }) => codeBox('for example', jsonCode(value)))}
${kinds}`,
    );
  }),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read about the kinds of problem',
  description: 'The `type` of every problem leads here.',
  answers: { 200: page('The page.') },
});
