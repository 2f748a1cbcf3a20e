import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { loadedPerService } from '#service/lib/per-service.ts';
import { Html, html } from '../page/html.ts';
import { buildText, hashSource, ICON, sendPage } from '../page/page.ts';
import { REFERENCE_SCRIPT } from '../page/page-scripts.ts';
import { page } from '../page/words.ts';
import { SCALAR_VERSION } from './reference-script.ts';

/**
 * The OpenAPI documents in Scalar's page. Its script is a third party's, so the page has an origin of its own: it has
 * neither the cookie of the console nor what another page keeps.
 */
export const reference = operation({
  route: PUBLIC_ROUTES.reference,
  scope: 'public',
  handler: async (service, { request }) => sendPage(await pageOf(service), request),
});

export const words = (): Words => ({
  reference: {
    tag: 'Reference',
    summary: 'Read the reference',
    description: 'Every operation of the OpenAPI documents, with a form that tries those of clients.',
    answers: { 200: page('The page as HTML.') },
  },
});

const DOCUMENTS = [PUBLIC_ROUTES.openApi, PUBLIC_ROUTES.gatewayOpenApi, PUBLIC_ROUTES.operatorOpenApi].map(
  (route) => html`<a href="${href(route)}">${href(route)}</a> `,
);

const pageOf = loadedPerService(async ({ settings: { baseUrl } }) => {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Tickreel</title>
<link rel="icon" href="${new Html(ICON)}">
<script src="${href(PUBLIC_ROUTES.referenceScript)}?v=${SCALAR_VERSION}" defer></script>
<style>body{margin:0;font-family:system-ui,sans-serif}nav{padding:8px 24px;color:gray}a{color:inherit}</style>
</head>
<body>
<nav><a href="${href(PUBLIC_ROUTES.docs)}">Guide</a> · as OpenAPI 3.1, which needs no script: ${DOCUMENTS}</nav>
<div id="reference"></div>
<script>${new Html(REFERENCE_SCRIPT)}</script>
</body>
</html>
`;
  const policy = [
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    // Zod, which is inside of Scalar, tries whether it may evaluate text.
    `script-src 'self' 'unsafe-eval' ${await hashSource(REFERENCE_SCRIPT)}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    `connect-src 'self' ${baseUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ];
  return buildText(document.text, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
});
