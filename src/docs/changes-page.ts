import { html } from '../pages/html.ts';
import { API_CHANGES } from './api-changes.ts';
import { createDocsPage, plainBody } from './reference-page.ts';
import { inline } from './words.ts';

/** `GET /docs/changes`: the changes that matter to clients. */
export const changesPage = createDocsPage('What changed · Tickreel', () => {
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
});
