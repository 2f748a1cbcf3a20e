import { bindCopies, bindHelp, clock } from './parts/actions.ts';
import { bindKeys } from './parts/keys.ts';
import { findVideo } from './parts/player-js.ts';

const video = findVideo();
bindCopies(video);

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

const openHelp = bindHelp();
if (video) bindKeys(video, video, { '?': openHelp });
// The video loads after the poster, so that a slow connection shows the poster early. `findVideo` may load it before.
addEventListener('load', () => {
  if (video?.preload === 'none') video.preload = 'metadata';
  showMore();
});
