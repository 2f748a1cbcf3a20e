import { PAGE_CACHING } from '#http/headers.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { pageTitle, wordmark } from '../page/brand.ts';
import { html } from '../page/html.ts';
import { pagesOf, sendPage } from '../page/page.ts';
import { page } from '../page/words.ts';

/** The page is the same for everybody. */
export const studio = operation({
  route: PUBLIC_ROUTES.studio,
  scope: 'public',
  handler: async (service, { request }) => {
    const { brand, mediaBaseUrl } = service.settings;
    return sendPage(
      await pagesOf(service)('studio', 0, async () => ({
        cacheControl: PAGE_CACHING,
        brand,
        title: pageTitle('Studio', brand),
        frameAncestors: "'self'",
        bodyClass: 'page studio',
        styles: await (await service.staticFile('work.css')).text(),
        hasFrames: true,
        script: await (await service.staticFile('studio.js')).text(),
        connects: true,
        mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
        head: html`<meta name="robots" content="noindex">`,
        body: html`<header class="top">${wordmark(brand)}<nav><a href="${href(PUBLIC_ROUTES.docs)}">API docs</a></nav></header>
<main><div id="studio"><p class="card">The studio needs JavaScript. Everything it does can be done with the
<a href="${href(PUBLIC_ROUTES.docs)}">API</a> too.</p></div></main>`,
      })),
      request,
    );
  },
});

export const words = (): Words => ({
  studio: {
    tag: 'Viewing',
    summary: 'Make clips in a browser',
    description: 'A page that uses the API under a key that people type in. The key stays in its tab.',
    answers: { 200: page('The page of the studio.') },
  },
});
