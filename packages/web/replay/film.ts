import { findVideo } from '../parts/player-js.ts';
import { followClip } from './replay-media.ts';
import type { ShownPlayer } from './shown-player.ts';
import { createTimeline, type OpenReplay } from './timeline.ts';

/**
 * Shows the clip's video instead of its replay, at the same tick, as soon as there is one, and a button that switches
 * between the two. A video that is already in the page is only shown first if `isFirst`.
 */
export async function bindFilm(
  screen: HTMLElement,
  replay: OpenReplay,
  { show }: ShownPlayer,
  isFirst: boolean,
): Promise<void> {
  const [film, button] = ['film', 'switch'].map((name) => screen.querySelector<HTMLElement>(`[data-${name}]`));
  const wait = document.querySelector<HTMLElement>('[data-wait]');
  if (!film || !button) return;
  const { file, media } = replay;
  // The replay of a demo has no shots, and becomes no clip.
  const isAwaited = film.firstElementChild === null && file.shots.length > 0;
  if (isAwaited) {
    if (wait) wait.textContent = 'The clip is being made. Its video appears here when it is ready.';
    const made = await followClip();
    if (wait) wait.textContent = made ? '' : 'The clip was not made.';
    film.append(...(made?.childNodes ?? []));
  }
  const video = findVideo();
  if (!video) return;
  const clip = createTimeline(file.shots, file.tickRate);
  let isFilm = false;
  const turn = () => {
    isFilm = !isFilm;
    const { from, to } = replay.moment;
    // A clip may show a tick twice: by the killer and by the victim.
    const isWhole = from === null && to === null;
    const second = video.currentTime - file.leadSeconds;
    if (isFilm) show(video, file.leadSeconds + (isWhole ? media.currentTime : clip.secondOf(replay.tick)));
    else show(media, isWhole ? second : replay.timeline.secondOf(clip.at(second).tick));
    screen.classList.toggle('film', isFilm);
    button.textContent = isFilm ? 'Show the replay' : 'Show the video';
  };
  button.hidden = false;
  button.addEventListener('click', turn);
  if (isAwaited || isFirst) turn();
}
