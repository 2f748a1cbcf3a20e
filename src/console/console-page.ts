import { notFound } from '#http/problem.ts';
import type { PageHandler } from '../page-handler.ts';
import { html } from '../pages/html.ts';
import { type Page, type Pages, sendPage } from '../pages/page.ts';
import { CONSOLE_SCRIPT } from '../pages/page-scripts.ts';
import { WORK_STYLES } from '../pages/page-styles.ts';

/** `GET /console`: the same page for everybody. Its script loads the data, in the session of an operator. */
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
    body: html`<div id="console"><main><noscript><p>The console needs JavaScript. The API and <code>tickreel admin</code>
do everything that it does.</p></noscript></main></div>`,
  };
}
