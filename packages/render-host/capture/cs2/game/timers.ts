/** The waits of a recording, and the milliseconds after which each counts as hung. */
export const WATCHDOGS = {
  /** The launcher has started the game. */
  start: 60_000,
  /** The game's console answers. */
  console: 120_000,
  /** The requested demo plays. The request is repeated once. */
  playback: 120_000,
  /** A seek has ended. A seek backwards replays the demo from its start. */
  seek: 180_000,
  /** The tick advances by a second. While recording, a marker comes every 150 frames at most. */
  tick: 60_000,
  /** The game reports whom it shows. Its heartbeat comes every second. */
  game_state: 5_000,
  /** The game ends after `quit`. */
  quit: 10_000,
  /** One start of the game by the plugin, without its films. */
  attempt: 300_000,
  /** A game without a job for so long is ended. */
  idle: 600_000,
} as const;

export type WatchdogName = keyof typeof WATCHDOGS;
/** Waits between two tries or two nudges, or until the picture of a seek is ready. */
export type Pause = 'poll' | 'nudge' | 'rest';

/** The clock of a recording. */
export interface Timers {
  /** Milliseconds since 1970, by the clock that the game uses too. */
  now(): number;
  /** Calls `expire` after `ms` unless the returned function is called before. */
  set(name: WatchdogName | Pause, ms: number, expire: () => void): () => void;
}

export const systemTimers: Timers = {
  now: Date.now,
  set(_name, ms, expire) {
    const timer = setTimeout(expire, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits. Rejects with the signal's reason if aborted. */
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
