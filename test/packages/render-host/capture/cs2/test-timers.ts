import type { Pause, Timers, WatchdogName } from '#render-host/capture/cs2/game/timers.ts';

/**
 * How much faster the clock of tests runs, here and in the fake game, so that a second of reports is short. A long run
 * on a shared machine is slower, because the host often has to wait.
 */
export const CLOCK_SPEED = Number(process.env.RECORDER_CLOCK ?? 20);
const now = (): number => Date.now() * CLOCK_SPEED;

/** The milliseconds of a pause in a test: no real time if it only waits for a picture. */
const PAUSES: Readonly<Record<Pause, number>> = { poll: 10, rest: 5, nudge: 200 };

function pause(name: Pause, expire: () => void, pauses = PAUSES): () => void {
  const timer = setTimeout(expire, pauses[name]);
  return () => clearTimeout(timer);
}

/**
 * Creates a clock for tests: polls and rests pass at once, watchdogs only when the test expires them. `expire` waits
 * until the watchdog is set, and returns its time. `armings` is how often it was set. `pauses` sets longer pauses.
 */
export function createTestTimers(
  pauses: Partial<typeof PAUSES> = {},
): Timers & { expire(name: WatchdogName): Promise<number>; armings(name: WatchdogName): number } {
  const counts = new Map<string, number>();
  const armed = new Map<string, { ms: number; expire: () => void }[]>();
  const waiting = new Map<string, () => void>();
  return {
    now,
    set(name, ms, expire) {
      if (name in PAUSES) return pause(name as Pause, expire, { ...PAUSES, ...pauses });
      const entry = { ms, expire };
      counts.set(name, (counts.get(name) ?? 0) + 1);
      armed.set(name, [...(armed.get(name) ?? []), entry]);
      waiting.get(name)?.();
      return () =>
        void armed.set(
          name,
          (armed.get(name) ?? []).filter((one) => one !== entry),
        );
    },
    armings: (name) => counts.get(name) ?? 0,
    async expire(name) {
      for (;;) {
        const entry = armed.get(name)?.pop();
        if (entry !== undefined) {
          entry.expire();
          return entry.ms;
        }
        await new Promise<void>((resolve) => waiting.set(name, resolve));
      }
    },
  };
}

/** Creates a clock for random runs: watchdogs expire once the game hangs. */
export function createEagerTimers(isStuck: () => boolean): Timers {
  return {
    now,
    set(name, _ms, expire) {
      if (name in PAUSES) return pause(name as Pause, expire);
      // A file of the game before says nothing about the one that starts.
      if (['idle', 'start', 'console', 'attempt'].includes(name)) return () => {};
      // An idle game counts as hung until the next command reaches it, which takes longer on a busy machine.
      let seen = 0;
      const timer = setInterval(() => {
        seen = isStuck() ? seen + 1 : 0;
        if (seen < 50) return;
        clearInterval(timer);
        expire();
      }, 20);
      return () => clearInterval(timer);
    },
  };
}
