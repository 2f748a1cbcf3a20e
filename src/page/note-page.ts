import type { Brand } from '#domain/account/brand.ts';
import type { PublicRecord } from '#domain/job/public-record.ts';
import { PAGE_CACHING, weightsOf } from '#http/headers.ts';
import { notFound } from '#http/problem.ts';
import type { UnroutedRequest } from '#http/router.ts';
import { settingsFor, UNKNOWN } from '#service/clip/public-clip.ts';
import type { Service } from '#service/lib/service.ts';
import { pageTitle, wordmark } from './brand.ts';
import { html } from './html.ts';
import { type Page, pagesOf, sendPage } from './page.ts';

/** By why there is no player. */
const NOTES = {
  deleted: {
    status: 410,
    title: 'This clip was deleted',
    text: 'Its owner removed it, or it was not kept and its time was up. It cannot be brought back from here.',
  },
  removed: {
    status: 410,
    title: 'This clip was removed',
    text: 'The operator of this service has taken it down.',
  },
  unknown: {
    status: 404,
    title: 'No such clip',
    text: 'Nothing was ever shown at this address. Check that the link is whole: the part after /clips/ has 36 characters.',
  },
} as const;

/**
 * Answers with a page that explains why there is no player, instead of the clip page or of the embed. A clip that is
 * being made is unknown, also if its replay can be played, and so is a missing part of one.
 */
export async function sendNote(
  service: Service,
  record: PublicRecord,
  kind: 'page' | 'embed',
  request: Request,
): Promise<Response> {
  const { brand } = settingsFor(service, record);
  const note = record.state in NOTES ? (record.state as keyof typeof NOTES) : 'unknown';
  const name = `note ${note} ${kind} ${JSON.stringify(brand)}`;
  return sendPage(await pagesOf(service)(name, 0, () => drawNote(brand, note, kind)), request);
}

function drawNote(brand: Brand, note: keyof typeof NOTES, kind: 'page' | 'embed'): Page {
  const { status, title, text } = NOTES[note];
  const { name, url } = brand;
  return {
    brand,
    status,
    cacheControl: PAGE_CACHING,
    title: pageTitle(title, brand),
    frameAncestors: kind === 'embed' ? '*' : "'self'",
    bodyClass: `${kind} noted`,
    head: html`<meta name="robots" content="noindex">`,
    body: html`${kind === 'page' ? html`<header class="top">${wordmark(brand)}</header>` : null}
<main class="note"><div class="blip ${note}" aria-hidden="true"></div>
<h1>${title}</h1><p>${text}</p>${kind === 'page' && url ? html`<p><a href="${url}">What is ${name || 'this service'}?</a></p>` : null}</main>`,
  };
}

/** Answers for any other address: below `/clips` a browser gets the page of an unknown clip. */
export function unknownAddress(service: Service, { request, url }: UnroutedRequest): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && /^\/clips(\/|$)/.test(url.pathname) && prefersHtml(request, false))
    return sendNote(service, UNKNOWN, 'page', request);
  throw notFound();
}

/** Returns whether `Accept` (RFC 9110 section 12.5.1) prefers HTML to JSON; `fallback` if it names neither. */
export function prefersHtml({ headers }: Request, fallback: boolean): boolean {
  const [first] = [...weightsOf(headers.get('Accept'))]
    .filter(([type, weight]) => /^(text\/html|application\/(\w+\+)?json)$/.test(type) && weight > 0)
    .sort(([, a], [, b]) => b - a);
  return first ? first[0] === 'text/html' : fallback;
}
