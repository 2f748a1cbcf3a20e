import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { page } from '../page-words.ts';
import { html } from '../pages/html.ts';
import { API_CHANGES } from './api-changes.ts';
import { docsPage, plainBody } from './reference-page.ts';
import { inline } from './words.ts';

export const changesDocs = operation({
  route: PUBLIC_ROUTES.changesDocs,
  scope: 'public',
  handler: docsPage('What changed · Tickreel', () => {
    const days = Object.entries(API_CHANGES).map(
      ([day, changes]) => html`<section class="kind" id="${day}">
<h2><a href="#${day}"><time datetime="${day}">${day}</time></a></h2>
<ul>${changes.map((change) => html`<li>${inline(change)}</li>`)}</ul>
</section>`,
    );
    return plainBody(
      'What changed',
      html`<h1>What changed</h1>
<p class="lead">Every change of the API that a client can notice, the newest first. Fields, error codes and addresses are only ever added.</p>
${days}`,
    );
  }),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read what changed',
  description: 'Every change of the API that a client can notice, newest first.',
  answers: { 200: page('The page.') },
});
