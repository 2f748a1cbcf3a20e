import { href, PUBLIC_ROUTES } from '../../protocol/routes.ts';
import type { PageHandler } from '../page-handler.ts';
import { type Html, html } from '../pages/html.ts';
import { makePage, sendPage, type WholePage } from '../pages/page.ts';
import { DOCS_STYLES } from '../pages/page-styles.ts';
import { codeBox, shellCode } from './code-sample.ts';
import { guideSections } from './guide.ts';
import { OPENAPI, operationsOf } from './openapi-document.ts';
import { methodBadge, operationSection } from './operation-section.ts';

/** In the order of the page: what clients use first, what operators use last. */
const TAGS = ['Clips', 'Jobs', 'Assets', 'Usage', 'Events', 'Viewing', 'Reference', 'Gateway', 'Administration'];

/**
 * Builds `GET /docs`: the OpenAPI document as a page for people, drawn at the first request and kept. It needs no
 * script and loads nothing. `baseUrl` stands in the samples; `clipTtl` is in milliseconds.
 */
export function createReferencePage(baseUrl: string, clipTtl: number): PageHandler {
  return createDocsPage('API reference · Tickreel', () => referenceBody(baseUrl, clipTtl));
}

/** A page in the style of the reference. */
export function createDocsPage(title: string, bodyOf: () => Html): PageHandler {
  let made: WholePage | null = null;
  return async (_, { request }) => {
    made ??= await makeDocs(title, bodyOf());
    return sendPage(made, request);
  };
}

function makeDocs(title: string, body: Html): Promise<WholePage> {
  return makePage({
    title,
    body,
    bodyClass: 'docs',
    frameAncestors: "'self'",
    styles: DOCS_STYLES,
    cacheControl: 'public, max-age=300',
  });
}

/** The bar at the top of each page; `tools` stand at its right. */
export function docsBar(tools: Html): Html {
  return html`<header class="bar"><a class="brand" href="${href(PUBLIC_ROUTES.docs)}">Tick<b>reel</b></a><span class="where">API reference</span>${tools}</header>`;
}

function referenceBody(baseUrl: string, clipTtl: number): Html {
  const guide = guideSections(clipTtl);
  const contents = contentsList(guide);
  return html`${docsBar(html`<fieldset class="language"><legend>Language of the samples</legend>
<label><input type="radio" name="language" value="curl" checked><span>curl</span></label><label><input type="radio" name="language" value="ts"><span>TypeScript</span></label>
</fieldset><a class="raw" href="${href(PUBLIC_ROUTES.openApi)}">OpenAPI</a>`)}
<div class="frame">
<nav class="side" aria-label="Contents">${contents}</nav>
<main>
<details class="menu"><summary>Contents</summary><nav aria-label="Contents">${contents}</nav></details>
${opening(baseUrl)}
${guide.map(({ id, title, body }) => html`<section class="guide" id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`)}
${TAGS.map((tag) => tagSection(tag, baseUrl))}
</main>
</div>`;
}

function opening(baseUrl: string): Html {
  const quick = `curl -X POST "${baseUrl}/api/clips" \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
  "demo_url": "https://demos.example.com/match.dem.gz",
  "steam64_id": "76561198000000001",
  "round": 7
}'

curl "${baseUrl}/api/jobs/$JOB_ID" \\
  -H "Authorization: Bearer $KEY"

open "${baseUrl}/clips/$CLIP_ID"`;
  return html`<section class="opening split" id="top"><div>
<h1>Moments of a match, as clips</h1>
<p class="lead">Tickreel renders moments of recorded Counter-Strike 2 matches. Post the address of a demo with the moments that you want; get one MP4, one thumbnail and a page to share.</p>
<dl class="facts"><dt>Address</dt><dd><code>${baseUrl}</code></dd><dt>Format</dt><dd>JSON over HTTPS, OpenAPI 3.1: <a href="${href(PUBLIC_ROUTES.openApi)}">openapi.json</a></dd><dt>Version</dt><dd>${OPENAPI.info.version}. Addresses carry none: fields and codes are only ever added, so ignore what you do not know.</dd></dl>
</div><div class="show">${codeBox('submit, follow, watch', shellCode(quick))}</div></section>`;
}

function tagSection(tag: string, baseUrl: string): Html {
  const description = OPENAPI.tags.find(({ name }) => name === tag)?.description ?? '';
  return html`<section class="tag" id="${tag.toLowerCase()}"><h2><a href="#${tag.toLowerCase()}">${tag}</a></h2><p class="lead">${description}</p>
${operationsOf(tag).map((addressed) => operationSection(addressed, baseUrl))}</section>`;
}

function contentsList(guide: readonly { id: string; title: string }[]): Html {
  return html`<h2>Guide</h2><ul>${guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}<li><a href="${href(PUBLIC_ROUTES.problemDocs)}">Kinds of problem</a></li></ul>
${TAGS.map(
  (tag) =>
    html`<h2><a href="#${tag.toLowerCase()}">${tag}</a></h2><ul>${operationsOf(tag).map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}">${methodBadge(method)}<span>${operation.summary}</span></a></li>`,
    )}</ul>`,
)}`;
}
