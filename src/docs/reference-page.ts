import type { Handler } from '#http/router.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { loadedPerService } from '#service/per-service.ts';
import type { Service } from '#service/service.ts';
import { page } from '../page-words.ts';
import { type Html, html } from '../pages/html.ts';
import { type BuiltPage, makePage, sendPage } from '../pages/page.ts';
import { DOCS_STYLES } from '../pages/page-styles.ts';
import { languageChoice } from './code-sample.ts';
import { guideSections } from './guide.ts';
import { type DocumentRoute, operationsOf, type Reference, tagsOf } from './openapi-document.ts';
import { methodBadge, operationSection } from './operation-section.ts';
import { referenceOf, referenceTo } from './reference.ts';

/** The page needs no script and loads nothing but a still. */
export const docs = operation({
  route: PUBLIC_ROUTES.docs,
  scope: 'public',
  handler: docsPage('API reference · Tickreel', (of) =>
    drawReference(of, {
      where: 'API reference',
      opening: opening(of),
      guide: guideSections(of),
    }),
  ),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read the reference',
  description: 'What clients need of this document, as a page with a quickstart.',
  answers: { 200: page('The page.') },
});

/** Returns a page of the reference that lists the operations of a document. */
export function partPage(title: string, lead: string, route: DocumentRoute): Handler<Service> {
  const head = html`<section class="opening" id="top"><h1>${title}</h1><p class="lead">${lead} As OpenAPI 3.1: <a href="${href(route)}">${href(route).slice(1)}</a></p></section>`;
  const draw = (of: Reference) => drawReference(of, { where: title, opening: head, guide: [] });
  return docsPage(`${title} · Tickreel`, draw, referenceTo(route));
}

/** Returns a page in the style of the reference, drawn at its first request. */
export function docsPage(title: string, draw: (of: Reference) => Html, read = referenceOf): Handler<Service> {
  const pageOf = loadedPerService(async (service) => makeDocs(title, draw(await read(service))));
  return async (service, { request }) => sendPage(await pageOf(service), request);
}

export function makeDocs(title: string, body: Html): Promise<BuiltPage> {
  return makePage({
    title,
    body,
    bodyClass: 'docs',
    frameAncestors: "'self'",
    styles: DOCS_STYLES,
    hasForm: true,
    cacheControl: 'public, max-age=300',
  });
}

/** Returns the bar at the top of each page, with `tools` at its right. */
function docsBar(where: string, tools: Html, query = ''): Html {
  return html`<header class="bar"><a class="brand" href="${href(PUBLIC_ROUTES.docs)}">Tick<b>reel</b></a><span class="where">${where}</span><form class="search" role="search" action="${href(PUBLIC_ROUTES.searchDocs)}"><input type="search" name="q" value="${query}" placeholder="Search" aria-label="Search the reference"></form>${tools}</header>`;
}

/** The body of a page without a list of contents. */
export function plainBody(where: string, content: Html, query = ''): Html {
  return html`${docsBar(where, html`<a class="raw" href="${href(PUBLIC_ROUTES.docs)}">Reference</a>`, query)}
<main class="problems">
${content}
</main>`;
}

interface Parts {
  readonly where: string;
  readonly opening: Html;
  readonly guide: ReturnType<typeof guideSections>;
}

function drawReference(of: Reference, { where, opening: first, guide }: Parts): Html {
  const contents = contentsList(of, guide);
  return html`${docsBar(where, languageChoice())}
<div class="frame">
<nav class="side" aria-label="Contents">${contents}</nav>
<main>
<details class="menu"><summary>Contents</summary><nav aria-label="Contents">${contents}</nav></details>
${first}
${guide.map(({ id, title, body }) => html`<section class="guide" id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`)}
${tagsOf(of.document).map((tag) => tagSection(of, tag))}
</main>
</div>`;
}

function opening({ document, baseUrl }: Reference): Html {
  return html`<section class="opening" id="top">
<h1>Moments of a match, as clips</h1>
<p class="lead">Tickreel renders moments of recorded Counter-Strike 2 matches. Post the address of a demo with the moments that you want; get one MP4, one thumbnail and a page to share.</p>
<dl class="facts"><dt>Address</dt><dd><code>${baseUrl}</code></dd><dt>Format</dt><dd>JSON over HTTPS, OpenAPI 3.1: <a href="${href(PUBLIC_ROUTES.openApi)}">openapi.json</a></dd><dt>As text</dt><dd><a href="${href(PUBLIC_ROUTES.docsText)}">docs.md</a>, <a href="${href(PUBLIC_ROUTES.llms)}">llms.txt</a></dd><dt>Version</dt><dd>${document.info.version}. Addresses carry none: fields and codes are only ever added, so ignore what you do not know. <a href="${href(PUBLIC_ROUTES.changesDocs)}">What changed</a></dd></dl></section>`;
}

function tagSection(of: Reference, tag: string): Html {
  const description = of.document.tags.find(({ name }) => name === tag)?.description ?? '';
  return html`<section class="tag" id="${tag.toLowerCase()}"><h2><a href="#${tag.toLowerCase()}">${tag}</a></h2><p class="lead">${description}</p>
${operationsOf(of.document, tag).map((addressed) => operationSection(of, addressed))}</section>`;
}

/** The other pages of the reference. */
const PAGES = {
  'API reference': PUBLIC_ROUTES.docs,
  'Kinds of problem': PUBLIC_ROUTES.problemDocs,
  'What changed': PUBLIC_ROUTES.changesDocs,
  'For render hosts': PUBLIC_ROUTES.gatewayDocs,
  'For operators': PUBLIC_ROUTES.operatorDocs,
} as const;

function contentsList({ document }: Reference, guide: readonly { id: string; title: string }[]): Html {
  const sections = guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`${sections.length === 0 ? null : html`<h2>Guide</h2><ul>${sections}</ul>`}
${tagsOf(document).map(
  (tag) =>
    html`<h2><a href="#${tag.toLowerCase()}">${tag}</a></h2><ul>${operationsOf(document, tag).map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}">${methodBadge(method)}<span>${operation.summary}</span></a></li>`,
    )}</ul>`,
)}
<h2>More</h2><ul>${Object.entries(PAGES).map(([name, line]) => html`<li><a href="${href(line)}">${name}</a></li>`)}</ul>`;
}
