import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { html } from '../pages/html.ts';
import { API_CHANGES } from './api-changes.ts';
import { createDocsPage, docsBar } from './reference-page.ts';
import { inline } from './words.ts';

/** `GET /docs/changes`: what a client can notice. */
export const changesPage = createDocsPage('What changed · Tickreel', () => {
  const days = Object.entries(API_CHANGES).map(
    ([day, changes]) => html`<section class="kind" id="${day}">
<h2><a href="#${day}"><time datetime="${day}">${day}</time></a></h2>
<ul>${changes.map((change) => html`<li>${inline(change)}</li>`)}</ul>
</section>`,
  );
  return html`${docsBar('What changed', html`<a class="raw" href="${href(PUBLIC_ROUTES.docs)}">Reference</a>`)}
<main class="problems">
<h1>What changed</h1>
<p class="lead">Every change of the API that a client can notice, the newest first. Fields, error codes and addresses are only ever added.</p>
${days}
</main>`;
});
