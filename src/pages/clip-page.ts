import type { Clip } from '../../domain/clip.ts';
import type { Bindings } from '../../durable-objects/bindings.ts';
import { clipUrls } from '../../protocol/webhook.ts';
import { loadPublicClip } from '../public-clip.ts';
import { type Html, html } from './html.ts';
import { type Page, pageResponse } from './page.ts';

const DELETED = { title: 'This clip was deleted', text: 'Its owner removed it, or its time was up.' };
const UNKNOWN = {
  title: 'No such clip',
  text: 'Check the address: a clip appears here as soon as it has been rendered.',
};

/** `GET /clips/:id`: the page that people share. */
export async function clipPage(env: Bindings, baseUrl: string, id: string): Promise<Response> {
  const frame = { frameAncestors: "'self'", bodyClass: 'page' } as const;
  const clip = await loadPublicClip(env, id);
  if (!clip) return note(UNKNOWN, 404, frame);
  if (clip.state === 'deleted') return note(DELETED, 410, frame);
  const urls = clipUrls(baseUrl, id);
  const made = new Date(clip.createdAt);
  return pageResponse({
    ...frame,
    title: `${clip.title} · Tickreel`,
    body: html`<main class="clip">
<header><span class="brand">Tick<b>reel</b></span></header>
${player(clip, id)}
<h1>${clip.title}</h1>
<ul class="facts">
<li>${lengthText(clip.durationSeconds)}</li>
<li>${clip.resolution}p at ${clip.fps} fps</li>
<li><time datetime="${made.toISOString()}">${made.toLocaleDateString('en-GB', { dateStyle: 'long' })}</time></li>
</ul>
<a class="button" href="${urls.video}?download" download>Download</a>
</main>`,
  });
}

/** `GET /clips/:id/embed`: the player alone, for frames on other sites. */
export async function embedPage(env: Bindings, id: string): Promise<Response> {
  const frame = { frameAncestors: '*', bodyClass: 'embed' } as const;
  const clip = await loadPublicClip(env, id);
  if (!clip) return note(UNKNOWN, 404, frame);
  if (clip.state === 'deleted') return note(DELETED, 410, frame);
  return pageResponse({
    ...frame,
    title: clip.title,
    head: html`<meta name="robots" content="noindex">`,
    body: player(clip, id),
  });
}

/** Same-origin addresses, so that the page also works behind another name than the configured one. */
function player(clip: Clip, id: string): Html {
  const width = Math.round((clip.resolution * 16) / 9);
  const { video, thumbnail } = clipUrls('', id);
  return html`<video controls playsinline preload="metadata" width="${width}" height="${clip.resolution}"
 poster="${thumbnail}" src="${video}" aria-label="${clip.title}"></video>`;
}

function note(
  text: { title: string; text: string },
  status: number,
  frame: Pick<Page, 'frameAncestors' | 'bodyClass'>,
) {
  return pageResponse({
    ...frame,
    status,
    title: `${text.title} · Tickreel`,
    body: html`<main class="note"><h1>${text.title}</h1><p>${text.text}</p></main>`,
  });
}

function lengthText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} seconds` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} minutes`;
}
