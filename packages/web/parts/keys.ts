/** Seconds that the letters and the arrows jump, as in other players. */
const LONG_JUMP = 10;
const SHORT_JUMP = 5;
const VOLUME_STEP = 0.1;
/** Elements that need the keys themselves. A slider seeks by the same keys. */
const TYPED = 'input:not([type=range]),select,textarea,dialog';

/** What the keys and the page around a frame control: a video, or a replay. */
export type Playable = Pick<
  HTMLVideoElement,
  'currentTime' | 'duration' | 'error' | 'loop' | 'muted' | 'paused' | 'pause' | 'play' | 'readyState' | 'volume'
> &
  Pick<EventTarget, 'addEventListener'>;

/** Moves to a time in seconds, within the clip. */
export function seek(video: Playable, seconds: number): void {
  video.currentTime = Math.min(Math.max(seconds, 0), video.duration || 0);
}

/** Plays or pauses. A browser that refuses to play leaves the video as it is. */
export function toggle(video: Playable): void {
  if (video.paused) video.play().catch(() => {});
  else video.pause();
}

/**
 * Makes the keys of the whole page control the video; `others` adds keys of a page. Ignores keys with a modifier, and
 * Space and Enter on a button or a link. `element`: what fills the screen, with the frames a second in its data.
 */
export function bindKeys(video: Playable, element: HTMLElement, others: Record<string, () => void> = {}): void {
  const by = (seconds: number) => () => seek(video, video.currentTime + seconds);
  const frame = 1 / Number(element.dataset.fps);
  const step = (seconds: number) => () => {
    video.pause();
    by(seconds)();
  };
  const volume = (change: number) => () => {
    video.volume = Math.min(Math.max(video.volume + change, 0), 1);
  };
  const keys: Record<string, () => void> = {
    k: () => toggle(video),
    j: by(-LONG_JUMP),
    l: by(LONG_JUMP),
    arrowleft: by(-SHORT_JUMP),
    arrowright: by(SHORT_JUMP),
    ',': step(-frame),
    '.': step(frame),
    m: () => {
      video.muted = !video.muted;
    },
    f: () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else element.requestFullscreen?.().catch(() => {});
    },
    ...others,
  };
  const onVideo: Record<string, () => void> = { arrowup: volume(VOLUME_STEP), arrowdown: volume(-VOLUME_STEP) };

  // In the capture phase, because the video's own controls use some of these keys too.
  addEventListener(
    'keydown',
    (event) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest(TYPED)) return;
      const key = event.key.toLowerCase();
      let action = keys[key] ?? (target === element ? onVideo[key] : undefined);
      if (key === ' ' && !target.closest('a,button')) action = () => toggle(video);
      if (/^\d$/.test(key)) action = () => seek(video, (video.duration * Number(key)) / 10);
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    },
    true,
  );
  // The video's controls would handle Space again when it is released.
  addEventListener('keyup', (event) => event.target === element && event.key === ' ' && event.preventDefault(), true);
}
