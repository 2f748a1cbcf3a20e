import { PRODUCT } from '#domain/account/brand.ts';
import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { html } from '../page/html.ts';
import { type Page, pagesOf, sendPage } from '../page/page.ts';
import { page } from '../page/words.ts';

/** The page is the same for everybody. Its script reads the data with the session of an operator. */
export const consolePage = operation({
  route: 'GET /console',
  scope: 'public',
  handler: async (service, { request }) => {
    if (service.settings.adminToken === null) throw notFound();
    return sendPage(await pagesOf(service)('console', 0, () => drawConsole(service)), request);
  },
});

export const words = (): Words => ({
  consolePage: {
    tag: 'Administration',
    summary: "Open the operator's console",
    description: 'A page where operators sign in with their token.',
    answers: { 200: page('The page of the console.') },
  },
});

async function drawConsole({ staticFile }: Pick<Service, 'staticFile'>): Promise<Page> {
  return {
    brand: PRODUCT,
    title: 'Tickreel console',
    frameAncestors: "'none'",
    bodyClass: 'console',
    styles: await (await staticFile('work.css')).text(),
    script: await (await staticFile('console.js')).text(),
    connects: true,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<div id="console"><main><noscript><p>The console needs JavaScript. The API and <code>tickreel admin</code>
do everything that it does.</p></noscript></main></div>`,
  };
}
