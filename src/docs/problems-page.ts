import { notFound, problemBody } from '#http/problem.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { html } from '../page/html.ts';
import { page } from '../page/words.ts';
import { docsPage } from './pages.ts';
import { codeBlock, inline } from './words.ts';

export const problemDocs = operation({
  route: PUBLIC_ROUTES.problemDocs,
  scope: 'public',
  handler: docsPage('Kinds of problem', ({ baseUrl }) => {
    const kinds = Object.entries(PROBLEMS).map(
      ([kind, { status, title, meaning }]) => html`<section id="${kind}">
<h2>${status} <a href="#${kind}">${title}</a></h2>
<p><code>${kind}</code></p>
<p>${inline(meaning)}</p>
</section>`,
    );
    const example = problemBody(notFound(), '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90', baseUrl);
    return html`<h1>Kinds of problem</h1>
<p class="lead">Every error that the service answers is one of these (RFC 9457). <code>type</code> names its kind and leads here; <code>detail</code> says what it was this time; <code>request_id</code> lets us find it.</p>
${codeBlock(JSON.stringify(example, null, 2))}
${kinds}`;
  }),
});

export const words = (): Words => ({
  problemDocs: {
    tag: 'Reference',
    summary: 'Read about the kinds of problem',
    description: 'The `type` of every problem leads here.',
    answers: { 200: page('The page as HTML.') },
  },
});
