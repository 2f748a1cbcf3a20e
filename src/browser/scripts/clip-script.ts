import { bindKeys } from './keys.ts';
import { findVideo } from './player.ts';

const TOAST_MS = 2500;
const video = findVideo();
const toast = document.querySelector<HTMLElement>('[role=status]');
let hideToast = 0;

function showToast(text: string): void {
  if (!toast) return;
  toast.textContent = text;
  toast.classList.add('shown');
  clearTimeout(hideToast);
  hideToast = setTimeout(() => toast.classList.remove('shown'), TOAST_MS);
}

/** Copies a text. Pages without HTTPS have no clipboard API, so there it copies a selection. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** Formats seconds: `83.26` is `1:23`. */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

function currentSeconds(): number {
  return Math.round((video?.currentTime ?? 0) * 10) / 10;
}

for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const at = button.querySelector('time');
  video?.addEventListener('timeupdate', () => {
    if (at) at.textContent = clock(currentSeconds());
  });
  button.addEventListener('click', () => {
    const text = (button.dataset.copy ?? '') + (at && currentSeconds() > 0 ? `?t=${currentSeconds()}` : '');
    copy(text).then(
      () => showToast(at ? `Copied the link at ${clock(currentSeconds())}` : (button.dataset.done ?? '')),
      () => showToast('Your browser did not allow copying'),
    );
  });
}

const count = document.querySelector<HTMLElement>('[data-count]');
if (count) {
  fetch(count.dataset.count ?? '')
    .then((response) => response.json() as Promise<{ total: number }>)
    .then(({ total }) => {
      count.textContent = total.toLocaleString('en');
    })
    .catch(() => count.parentElement?.remove());
}

interface MoreClip {
  readonly title: string;
  readonly duration_seconds: number;
  readonly page: string;
  readonly thumbnail: string;
}

function tile({ title, duration_seconds: seconds, page, thumbnail }: MoreClip): HTMLLIElement {
  const [item, link, image, name, length] = ['li', 'a', 'img', 'bdi', 'small'].map((tag) =>
    document.createElement(tag),
  ) as [HTMLLIElement, HTMLAnchorElement, HTMLImageElement, HTMLElement, HTMLElement];
  link.href = page;
  Object.assign(image, { loading: 'lazy', alt: '', width: 320, height: 180, src: thumbnail });
  name.textContent = title;
  length.textContent = clock(seconds);
  link.append(image, name, ' ', length);
  item.append(link);
  return item;
}

const more = document.querySelector<HTMLElement>('[data-more]');

function showMore(): void {
  if (!more) return;
  fetch(more.dataset.more ?? '')
    .then((response) => response.json() as Promise<{ clips: MoreClip[] }>)
    .then(({ clips }) => {
      more.querySelector('ul')?.append(...clips.map(tile));
      more.hidden = clips.length === 0;
    })
    .catch(() => {});
}

const help = document.querySelector('dialog');
function openHelp(): void {
  help?.showModal();
}
document.querySelector('[data-help]')?.addEventListener('click', openHelp);
help?.addEventListener('click', (event) => {
  if (event.target === help || (event.target as HTMLElement).closest('button')) help.close();
});
help?.addEventListener('keydown', (event) => event.key === '?' && help.close());

if (video) bindKeys(video, { '?': openHelp });
// The video loads after the poster, so that a slow connection shows the poster early. `findVideo` may load it before.
addEventListener('load', () => {
  if (video?.preload === 'none') video.preload = 'metadata';
  showMore();
});
