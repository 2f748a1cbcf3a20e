import { type Playable, seek, toggle } from './keys.ts';
import { showStoryboard } from './storyboard.ts';

/** The version and the error codes of the protocol (player.js, SPEC.rst). */
const VERSION = '0.0.11';
const UNDEFINED_ERROR = -1;
const NOT_SUPPORTED = 2;

const EVENTS = ['ready', 'play', 'pause', 'ended', 'timeupdate', 'progress', 'seeked', 'error'];

interface Message {
  readonly context?: unknown;
  readonly method?: unknown;
  readonly value?: unknown;
  readonly listener?: unknown;
}

/**
 * Answers the page around the frame in the player.js protocol: it may play, pause, seek and listen. Volumes go from
 * 0 to 100, times are in seconds. The parent frame of any origin may use it: its answers contain only what is visible.
 * `others`: methods that the protocol lacks.
 */
export function answerPlayerJs(video: Playable, others: Record<string, (value: unknown) => unknown> = {}): void {
  if (parent === window) return;
  let isReady = false;
  let listeners: { event: unknown; listener: unknown }[] = [];
  const methods: Record<string, (value: unknown) => unknown> = {
    play: () => video.play().catch((error) => emit('error', { code: UNDEFINED_ERROR, msg: String(error) })),
    pause: () => video.pause(),
    getPaused: () => video.paused,
    mute: () => {
      video.muted = true;
    },
    unmute: () => {
      video.muted = false;
    },
    getMuted: () => video.muted,
    setVolume: (value) => {
      video.volume = Math.min(Math.max(Number(value) || 0, 0), 100) / 100;
    },
    getVolume: () => video.volume * 100,
    getDuration: () => video.duration || 0,
    setCurrentTime: (value) => seek(video, Number(value) || 0),
    getCurrentTime: () => video.currentTime,
    setLoop: (value) => {
      video.loop = value === true || value === 'true';
    },
    getLoop: () => video.loop,
    addEventListener: () => {},
    removeEventListener: () => {},
    ...others,
  };

  function send(event: string, value?: unknown, listener?: unknown): void {
    parent.postMessage(JSON.stringify({ context: 'player.js', version: VERSION, event, value, listener }), '*');
  }
  function emit(event: string, value?: unknown): void {
    for (const entry of listeners) if (entry.event === event) send(event, value, entry.listener);
  }
  function ready(listener?: unknown): void {
    send('ready', { src: location.href, events: EVENTS, methods: Object.keys(methods) }, listener);
  }

  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    const { context, method, value, listener } = read(data);
    if (context !== 'player.js' || typeof method !== 'string') return;
    if (!Object.hasOwn(methods, method)) emit('error', { code: NOT_SUPPORTED, msg: `no method ${method}` });
    else if (method === 'addEventListener') {
      listeners.push({ event: value, listener });
      if (value === 'ready' && isReady) ready(listener);
    } else if (method === 'removeEventListener') {
      listeners = listeners.filter((entry) => entry.event !== value || (listener ?? entry.listener) !== entry.listener);
    } else {
      const result = methods[method]?.(value);
      if (method.startsWith('get')) send(method, result, listener);
    }
  });

  for (const name of ['play', 'pause', 'ended', 'seeked']) video.addEventListener(name, () => emit(name));
  for (const name of ['timeupdate', 'progress']) {
    video.addEventListener(name, () => emit(name, { seconds: video.currentTime, duration: video.duration || 0 }));
  }
  video.addEventListener('error', () => {
    emit('error', { code: UNDEFINED_ERROR, msg: video.error?.message ?? '' });
  });

  function becomeReady(): void {
    if (!isReady) ready();
    isReady = true;
  }
  if (video.readyState > 0) becomeReady();
  // A browser that saves data fires `suspend`, and loads the metadata only when somebody plays the video.
  for (const name of ['loadedmetadata', 'suspend', 'error']) video.addEventListener(name, becomeReady, { once: true });
}

function read(data: unknown): Message {
  try {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : data;
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    return {};
  }
}

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
