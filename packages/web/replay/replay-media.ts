import type { Playable } from '../parts/keys.ts';

/** The longest step between two frames, in seconds: a tab in the background gets no frames. */
const LONGEST_STEP = 0.25;
/** Seconds between two `timeupdate`s, as of a video. */
const UPDATE_SECONDS = 0.2;

/** What a replay needs of its surroundings. */
export interface ReplayScreen {
  /** Seconds. It may change. */
  readonly duration: number;
  /** Draws a second. Returns whether it could: not while its ticks are loading, or if they cannot be loaded. */
  draw(second: number): boolean;
  /** Calls back before the next picture of the screen, with the time in milliseconds. */
  requestFrame(callback: (now: number) => void): void;
}

/** Plays a replay with the properties, methods and events of a video element. It has no sound. */
export class ReplayMedia extends EventTarget implements Playable {
  readonly error = null;
  readonly readyState = 4;
  paused = true;
  playbackRate = 1;
  loop = false;
  muted = true;
  volume = 1;
  readonly #parts: ReplayScreen;
  #second = 0;
  #isSeeking = false;
  /** When the last frame was; null before the first one. */
  #last: number | null = null;
  #isRequested = false;
  #updated = 0;

  constructor(parts: ReplayScreen) {
    super();
    this.#parts = parts;
  }

  get duration(): number {
    return this.#parts.duration;
  }

  get currentTime(): number {
    return this.#second;
  }

  set currentTime(second: number) {
    this.#second = Math.min(Math.max(second, 0), this.duration);
    this.#isSeeking = true;
    this.#emit('seeking');
    this.refresh();
  }

  async play(): Promise<void> {
    if (!this.paused) return;
    if (this.#second >= this.duration) this.currentTime = 0;
    this.paused = false;
    this.#last = null;
    this.#emit('play');
    this.refresh();
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.#update();
    this.#emit('pause');
  }

  /** Draws again at the next frame, because what is drawn has changed. */
  refresh(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#parts.requestFrame((now) => {
      this.#isRequested = false;
      this.#frame(now);
    });
  }

  #frame(now: number): void {
    const step = this.paused || this.#last === null ? 0 : Math.min((now - this.#last) / 1000, LONGEST_STEP);
    this.#last = now;
    const second = Math.min(this.#second + step * this.playbackRate, this.duration);
    const isDrawn = this.#parts.draw(second);
    if (isDrawn) {
      this.#second = second;
      if (this.#isSeeking) {
        this.#isSeeking = false;
        this.#update();
        this.#emit('seeked');
      } else if (Math.abs(second - this.#updated) >= UPDATE_SECONDS) this.#update();
    }
    if (!this.paused && this.#second >= this.duration) this.#end();
    // Until the frame can be drawn, somebody refreshes the replay when more is loaded.
    if (!this.paused && isDrawn) this.refresh();
  }

  #end(): void {
    if (this.loop) {
      this.currentTime = 0;
      return;
    }
    this.pause();
    this.#emit('ended');
  }

  #update(): void {
    this.#updated = this.#second;
    this.#emit('timeupdate');
  }

  #emit(name: string): void {
    this.dispatchEvent(new Event(name));
  }
}

/** Milliseconds between two looks for the clip. Shared caches keep pages for ten seconds. */
const WAIT_MS = 10_000;

/**
 * Loads this page again and again, while somebody looks at it, until the clip's video is in it. An unchanged page is
 * answered with 304. Resolves to the video's part of the page; to null if the replay is gone, because the job
 * failed or the clip was deleted.
 */
export async function followClip(): Promise<Element | null> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    if (document.hidden) continue;
    const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } }).catch(() => null);
    if (response?.status === 404 || response?.status === 410) return null;
    if (!response?.ok) continue;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const film = page.querySelector('[data-film]');
    if (film?.firstElementChild) return film;
  }
}
