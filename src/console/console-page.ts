import { notFound } from '#http/problem.ts';
import type { PageHandler } from '../page-handler.ts';
import { html } from '../pages/html.ts';
import { BRAND } from '../pages/icons.ts';
import { type Page, type Pages, sendPage } from '../pages/page.ts';
import { CONSOLE_SCRIPT } from '../pages/page-scripts.ts';
import { WORK_STYLES } from '../pages/page-styles.ts';

const LINKS = [
  ['', 'Overview'],
  ['jobs', 'Jobs'],
  ['hosts', 'Hosts'],
  ['accounts', 'Accounts'],
  ['deliveries', 'Webhooks'],
  ['audit', 'Audit log'],
  ['operators', 'Operators'],
] as const;

/** `GET /console`: the same for everybody; what it shows, its script asks for with the session of an operator. */
export function consolePage(pages: Pages): PageHandler {
  return async ({ settings }, { request }) => {
    if (settings.adminToken === null) throw notFound();
    return sendPage(await pages('console', 0, drawConsole), request);
  };
}

function drawConsole(): Page {
  return {
    title: 'Tickreel console',
    frameAncestors: "'none'",
    bodyClass: 'console',
    styles: WORK_STYLES,
    script: CONSOLE_SCRIPT,
    connects: true,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<header>${BRAND}<nav aria-label="Console" hidden>${LINKS.map(
      ([id, name]) => html`<a href="#/${id}">${name} <span data-count="${id || 'overview'}"></span></a>`,
    )}<span class="who"></span><button type="button">Sign out</button></nav></header>
<main><noscript><p>The console takes JavaScript. Everything in it is also to be had by the API and by <code>tickreel admin</code>.</p></noscript></main>
<p role="status"></p>
<div id="over"></div>`,
  };
}
