import { toggle } from './keys.ts';
import { showStoryboard } from './storyboard.ts';

/**
 * The page's one video, made quick to start: it loads in earnest as soon as somebody reaches for it. Until it plays,
 * the picture shows whole under one large button, without the browser's bar across it.
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
  for (const reach of ['pointerenter', 'touchstart', 'focusin'] as const) {
    stage?.addEventListener(reach, () => video?.setAttribute('preload', 'auto'), { once: true, passive: true });
  }
  // Counted once a page, and nothing is told but that.
  video?.addEventListener('playing', () => navigator.sendBeacon(video.dataset.views ?? ''), { once: true });
  video?.addEventListener('error', () => {
    const failed = document.querySelector<HTMLElement>('[data-failed]');
    if (failed) failed.hidden = false;
  });
  return video;
}
