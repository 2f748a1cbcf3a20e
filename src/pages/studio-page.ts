import { PAGE_CACHING } from '#http/file-cache-control.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import type { PageHandler } from '../page-handler.ts';
import { html } from './html.ts';
import { BRAND } from './icons.ts';
import { type Pages, sendPage } from './page.ts';
import { STUDIO_SCRIPT } from './page-scripts.ts';
import { WORK_STYLES } from './page-styles.ts';

/** `GET /studio`: the same page for everybody. Its script makes clips through the API, with a key that the user enters. */
export function studioPage(pages: Pages): PageHandler {
  return async ({ settings: { mediaBaseUrl, s3 } }, { request }) =>
    sendPage(
      await pages('studio', 0, () => ({
        cacheControl: PAGE_CACHING,
        title: 'Studio · Tickreel',
        frameAncestors: "'self'",
        bodyClass: 'page studio',
        styles: WORK_STYLES,
        script: STUDIO_SCRIPT,
        // The script uploads parts of a demo to the bucket.
        connects: s3 === null ? true : new URL(s3.url).origin,
        mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
        head: html`<meta name="robots" content="noindex">`,
        body: html`<header class="top">${BRAND}<nav><a href="${href(PUBLIC_ROUTES.docs)}">API docs</a></nav></header>
<main><div id="studio"><p class="card">The studio needs JavaScript. Everything it does can be done with the
<a href="${href(PUBLIC_ROUTES.docs)}">API</a> too.</p></div></main>`,
      })),
      request,
    );
}
