import { toggle } from './keys.ts';
import { showStoryboard } from './storyboard.ts';

/**
 * Finds the page's video and prepares it. It loads as soon as somebody touches it or points at it, so that it starts
 * quickly. Until it plays, one large button replaces the browser's controls.
 */
export function findVideo(): HTMLVideoElement | null {
  const video = document.querySelector('video');
  const cover = document.querySelector<HTMLElement>('[data-cover]');
  if (video && cover && !video.autoplay) {
    cover.hidden = video.controls = false;
    cover.addEventListener('click', () => toggle(video));
    const uncover = () => {
      if (document.activeElement === cover) video.focus();
      cover.hidden = video.controls = true;
    };
    video.addEventListener('play', uncover, { once: true });
  }
  const stage = video?.parentElement;
  if (video && stage) showStoryboard(video, stage, () => video.played.length > 0);
  for (const event of ['pointerenter', 'touchstart', 'focusin'] as const) {
    stage?.addEventListener(event, () => video?.setAttribute('preload', 'auto'), { once: true, passive: true });
  }
  // Counts a view once a page, without further data.
  video?.addEventListener('playing', () => navigator.sendBeacon(video.dataset.views ?? ''), { once: true });
  video?.addEventListener('error', () => {
    const failed = document.querySelector<HTMLElement>('[data-failed]');
    if (failed) failed.hidden = false;
  });
  return video;
}
