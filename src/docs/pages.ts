import type { Handler } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadedPerService } from '#service/lib/per-service.ts';
import type { Service } from '#service/lib/service.ts';
import { type Html, html } from '../page/html.ts';
import { BRAND } from '../page/icons.ts';
import { makePage, sendPage } from '../page/page.ts';
import { DOCS_STYLES } from '../page/page-styles.ts';

/** Returns a page of the docs, without a script. It is drawn at its first request. */
export function docsPage(title: string, draw: (settings: Settings) => Html): Handler<Service> {
  const pageOf = loadedPerService(({ settings }) =>
    makePage({
      title: `${title} · Tickreel`,
      body: html`<header class="top">${BRAND}<nav><a href="${href(PUBLIC_ROUTES.docs)}">Guide</a>
<a href="${href(PUBLIC_ROUTES.reference)}">API reference</a></nav></header>
<main>
${draw(settings)}
</main>`,
      bodyClass: 'docs',
      frameAncestors: "'self'",
      styles: DOCS_STYLES,
      cacheControl: 'public, max-age=300',
    }),
  );
  return async (service, { request }) => sendPage(await pageOf(service), request);
}
