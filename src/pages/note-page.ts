import { PAGE_CACHING } from '#http/cache-control.ts';
import { html } from './html.ts';
import { BRAND } from './icons.ts';
import { type BuiltPage, makePage, sendPage } from './page.ts';
import { WAIT_SCRIPT } from './page-scripts.ts';

/** Why there is no player. */
export type Note = keyof typeof NOTES;

const NOTES = {
  deleted: {
    status: 410,
    title: 'This clip was deleted',
    text: 'Its owner removed it, or it was not kept and its time was up. It cannot be brought back from here.',
  },
  rendering: {
    status: 404,
    title: 'This clip is still rendering',
    text: 'It appears here as soon as it is done.',
  },
  unknown: {
    status: 404,
    title: 'No such clip',
    text: 'Nothing was ever shown at this address. Check that the link is whole: the part after /clips/ has 36 characters.',
  },
} as const;

/** `Retry-After` of a clip that is being rendered, in seconds. */
const RETRY_AFTER_S = 5;

const made = new Map<string, BuiltPage>();

/** Answers with a page that explains why there is no player, instead of the clip page or of the embed. */
export async function sendNote(note: Note, kind: 'page' | 'embed', request: Request): Promise<Response> {
  const name = `${note} ${kind}`;
  const page = made.get(name) ?? (await makeNote(note, kind));
  made.set(name, page);
  return sendPage(page, request);
}

function makeNote(note: Note, kind: 'page' | 'embed'): Promise<BuiltPage> {
  const { status, title, text } = NOTES[note];
  const isRendering = note === 'rendering';
  return makePage({
    status,
    ...(isRendering ? {} : { cacheControl: PAGE_CACHING }),
    title: `${title} · Tickreel`,
    frameAncestors: kind === 'embed' ? '*' : "'self'",
    bodyClass: `${kind} noted`,
    head: html`<meta name="robots" content="noindex">`,
    ...(isRendering ? { script: WAIT_SCRIPT, connects: true } : {}),
    headers: isRendering ? { 'Retry-After': String(RETRY_AFTER_S) } : {},
    body: html`${kind === 'page' ? html`<header class="top">${BRAND}</header>` : null}
<main class="note"><div class="blip ${note}" aria-hidden="true"></div>
<h1>${title}</h1><p>${text}</p>${isRendering ? html`<p><a href="">Look again</a></p>` : null}${
      kind === 'page' ? html`<p><a href="/">What is Tickreel?</a></p>` : null
    }</main>`,
  });
}
