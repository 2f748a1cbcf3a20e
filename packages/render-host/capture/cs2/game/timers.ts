/** What is waited for, and how long before it counts as hung, in milliseconds. */
export const WATCHDOGS = {
  /** The launcher has the game running. */
  start: 60_000,
  /** The game's console answers. */
  console: 120_000,
  /** A demo that was asked for plays. It is asked for once more. */
  playback: 120_000,
  /** A seek is over. One backwards replays the demo from its start. */
  seek: 180_000,
  /** The tick moves on by a second. While recording, a second of a demo is up to 120 frames through an encoder. */
  tick: 60_000,
  /** The game says whom it shows: its heartbeat comes every second. */
  game_state: 5_000,
  /** The game ends after it was told to. */
  quit: 10_000,
  /** A game that nobody has had a clip of for so long is ended. */
  idle: 600_000,
} as const;

export type WatchdogName = keyof typeof WATCHDOGS;
/** What passes between two tries, between two pushes, or until a picture has seeked. */
export type Pause = 'poll' | 'nudge' | 'rest';

/** The clock that a recording runs by. */
export interface Timers {
  /** Milliseconds since 1970, by the clock that the game has too. */
  now(): number;
  /** Calls `expire` after `ms` unless the function it returns is called before. */
  set(name: WatchdogName | Pause, ms: number, expire: () => void): () => void;
}

export const systemTimers: Timers = {
  now: Date.now,
  set(_name, ms, expire) {
    const timer = setTimeout(expire, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits. Rejects with the signal's reason when aborted. */
export function rest(timers: Timers, name: Pause, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timers.set(name, ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
