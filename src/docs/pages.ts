import { PRODUCT } from '#domain/account/brand.ts';
import { ERROR_CODES, type ErrorCode } from '#domain/failure/codes.ts';
import { ERROR_HELP } from '#domain/failure/help.ts';
import { notFound, problemBody } from '#http/problem.ts';
import type { Handler } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { loadedPerService, type Service } from '#service/lib/service.ts';
import { unknownAddress } from '#src/page/note-page.ts';
import { REFERENCE_SCRIPT } from '#src/page/page-scripts.ts';
import { page } from '#src/page/words.ts';
import { iconOf, pageTitle, wordmark } from '../page/brand.ts';
import { Html, html } from '../page/html.ts';
import { buildText, hashSource, makePage, sendPage } from '../page/page.ts';
import { DOCS_STYLES } from '../page/page-styles.ts';
import { codeBlock, inline } from './words.ts';

/** Of the file in src/static; the text beside it says how it was fetched. */
const SCALAR_VERSION = '1.46.4';

/** Sent compressed to all: browsers alone load it. */
export const referenceScript = operation({
  route: PUBLIC_ROUTES.referenceScript,
  scope: 'public',
  handler: async ({ staticFile }) => {
    const { body } = await staticFile(`scalar-${SCALAR_VERSION}.js.gz`);
    return new Response(body, {
      headers: {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Encoding': 'gzip',
        'Cache-Control': 'public, max-age=86400',
        'X-Content-Type-Options': 'nosniff',
      },
      encodeBody: 'manual',
    });
  },
});

/** Returns a page of the docs, without a script. It is drawn at its first request. */
export function docsPage(title: string, draw: (settings: Settings) => Html): Handler<Service> {
  const pageOf = loadedPerService(({ settings }) =>
    makePage({
      brand: PRODUCT,
      title: pageTitle(title, PRODUCT),
      body: html`<header class="top">${wordmark(PRODUCT)}<nav><a href="${href(PUBLIC_ROUTES.docs)}">Guide</a>
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

export const problemDocs = operation({
  route: PUBLIC_ROUTES.problemDocs,
  scope: 'public',
  handler: docsPage('Kinds of problem', ({ baseUrl }) => {
    const kinds = Object.entries(PROBLEMS).map(
      ([kind, { status, title, meaning }]) => html`<section id="${kind}">
<h2>${status} <a href="#${kind}">${title}</a></h2>
<p><code>${kind}</code></p>
<p>${inline(meaning)}</p>
</section>`,
    );
    const example = problemBody(notFound(), '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90', baseUrl);
    return html`<h1>Kinds of problem</h1>
<p class="lead">Every error that the service answers is one of these (RFC 9457). <code>type</code> names its kind and leads here; <code>detail</code> says what it was this time; <code>request_id</code> lets us find it.</p>
${codeBlock(JSON.stringify(example, null, 2))}
${kinds}`;
  }),
});

/**
 * The OpenAPI documents in Scalar's page. Its script is a third party's, so the page has an origin of its own: it has
 * neither the cookie of the console nor what another page keeps.
 */
export const reference = operation({
  route: PUBLIC_ROUTES.reference,
  scope: 'public',
  handler: async (service, { request }) => sendPage(await pageOf(service), request),
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
<link rel="icon" href="${iconOf(PRODUCT)}">
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

const RETRIED = 'The service retries by itself: in `error`, every retry has failed too.';

const FINAL = 'It is final: the service does not retry by itself.';

const pages = new Map(
  (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => [code as string, docsPage(code, () => errorBody(code))]),
);

export const errorDocs = operation({
  route: PUBLIC_ROUTES.errorDocs,
  scope: 'public',
  handler: (service, context) => {
    const page = pages.get(context.params.code);
    return page ? page(service, context) : unknownAddress(service, context);
  },
});

function errorBody(code: ErrorCode): Html {
  const { meaning, retryable } = ERROR_CODES[code];
  const { causes, todo } = ERROR_HELP[code];
  const list = (sentences: readonly string[]) =>
    html`<ul>${sentences.map((one) => html`<li>${inline(one)}</li>`)}</ul>`;
  return html`<h1><code>${code}</code></h1>
<p class="lead">${meaning} ${inline(retryable ? RETRIED : FINAL)}</p>
<section><h2>What causes it</h2>${list(causes)}</section>
<section><h2>What to do</h2>${list(todo)}
<p>${inline('`GET /api/jobs/:id?include=diagnosis,attempts` says more of a job: each attempt, and what its host found.')}</p></section>
<p><a href="${href(PUBLIC_ROUTES.docs)}#error-codes">Other codes</a></p>`;
}

export const words = (): Words => ({
  problemDocs: {
    tag: 'Reference',
    summary: 'Read about the kinds of problem',
    description: 'The `type` of every problem leads here.',
    answers: { 200: page('The page as HTML.') },
  },
  reference: {
    tag: 'Reference',
    summary: 'Read the reference',
    description: 'Every operation of the OpenAPI documents, with a form that tries those of clients.',
    answers: { 200: page('The page as HTML.') },
  },
  errorDocs: {
    tag: 'Reference',
    summary: 'Read why a job fails with a code',
    description: 'Explains the causes of a code, and what to do. `docs_url` of a diagnosis links here.',
    answers: { 200: page('The page as HTML.') },
    problems: ['not_found'],
  },
  referenceScript: {
    tag: 'Reference',
    summary: 'Load the script of the reference',
    description: 'The script of Scalar that draws the reference.',
    answers: { 200: { description: 'The script of the reference.', content: { types: ['text/javascript'] } } },
  },
});
