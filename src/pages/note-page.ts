import { PAGE_CACHING } from '#http/file-cache-control.ts';
import { html } from './html.ts';
import { BRAND } from './icons.ts';
import { makePage, sendPage, type WholePage } from './page.ts';
import { WAIT_SCRIPT } from './page-scripts.ts';

/** What there is instead of a player. */
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

/** Seconds after which it is worth asking for a clip in the making again. */
const LOOK_AGAIN_S = 5;

const made = new Map<string, WholePage>();

/** Answers with a page that says why there is no player, for the clip page or for the embed. */
export async function sendNote(note: Note, place: 'page' | 'embed', request: Request): Promise<Response> {
  const name = `${note} ${place}`;
  const page = made.get(name) ?? (await makeNote(note, place));
  made.set(name, page);
  return sendPage(page, request);
}

function makeNote(note: Note, place: 'page' | 'embed'): Promise<WholePage> {
  const { status, title, text } = NOTES[note];
  const waits = note === 'rendering';
  return makePage({
    status,
    ...(waits ? {} : { cacheControl: PAGE_CACHING }),
    title: `${title} · Tickreel`,
    frameAncestors: place === 'embed' ? '*' : "'self'",
    bodyClass: `${place} noted`,
    head: html`<meta name="robots" content="noindex">`,
    ...(waits ? { script: WAIT_SCRIPT, connects: true } : {}),
    headers: waits ? { 'Retry-After': String(LOOK_AGAIN_S) } : {},
    body: html`${place === 'page' ? html`<header class="top">${BRAND}</header>` : null}
<main class="note"><div class="blip ${note}" aria-hidden="true"></div>
<h1>${title}</h1><p>${text}</p>${waits ? html`<p><a href="">Look again</a></p>` : null}${
      place === 'page' ? html`<p><a href="/">What is Tickreel?</a></p>` : null
    }</main>`,
  });
}
