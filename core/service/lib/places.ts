import { type HeldName, SERVICE_LIMITS } from '#domain/operate/limits.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import type { Room } from '#http/read-body.ts';
import type { Settings } from '#platform/settings.ts';

/** Whose places are taken, by limit. */
type Owners = Readonly<Partial<Record<HeldName, string>>>;

/** A place without a sign of life for this time is free: the platform may have ended its request without notice. */
const SILENT_MS = 60_000;
/** So often it is looked for such places. */
const SWEEP_MS = 5000;

interface HeldPlace {
  /** Gives a sign of life. */
  touch(): void;
  isSilent(): boolean;
  /** Gives the place back. Repeatable. */
  release(): void;
}

/** What an isolate holds open, by limit and owner. Other isolates count by themselves. */
export interface Places {
  /**
   * Takes a place of each limit, or so many; all or none. Throws 429 with the name of a limit that is reached, or 503 if
   * it is the isolate's. It is synchronous, so concurrent requests cannot pass a limit.
   */
  take(owners: Owners, amount?: number, onRelease?: () => void): HeldPlace;
  /** Takes likewise, with signs of life as long as its request lives: the platform ends a request with its timers. */
  hold(owners: Owners, amount?: number): HeldPlace['release'];
  /** Holds places during some work. Throws and rejects likewise. */
  during<T>(owners: Owners, work: () => Promise<T>): Promise<T>;
  /** Returns how much an owner holds. */
  held(name: HeldName, owner: string): number;
}

export function createPlaces({ limits }: Pick<Settings, 'limits'>, now: () => number): Places {
  const places = new Map<string, Map<HeldPlace, number>>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  const keyOf = (name: string, owner = '') => `${name} ${owner}`;
  const sumOf = (key: string) => [...(places.get(key)?.values() ?? [])].reduce((sum, amount) => sum + amount, 0);

  /** Releases the silent ones of all owners. */
  const sweep = () => {
    sweptAt = now();
    for (const all of places.values()) for (const one of all.keys()) if (one.isSilent()) one.release();
  };

  const take: Places['take'] = (owners, amount = 1, onRelease = () => {}) => {
    const names = Object.keys(owners) as HeldName[];
    const keys = names.map((name) => keyOf(name, owners[name]));
    if (Math.abs(now() - sweptAt) >= SWEEP_MS) sweep();
    const isFull = (name: HeldName) => sumOf(keyOf(name, owners[name])) + amount > limits[name];
    if (names.some(isFull)) sweep();
    const full = names.find(isFull);
    if (full !== undefined) throw noPlace(full, limits[full]);
    let seenAt = now();
    const place: HeldPlace = {
      touch() {
        seenAt = now();
      },
      isSilent: () => now() - seenAt >= SILENT_MS,
      release() {
        const released = keys.filter((key) => places.get(key)?.delete(place));
        for (const key of released) if (places.get(key)?.size === 0) places.delete(key);
        if (released.length > 0) onRelease();
      },
    };
    for (const key of keys) places.set(key, (places.get(key) ?? new Map<HeldPlace, number>()).set(place, amount));
    return place;
  };

  const hold: Places['hold'] = (owners, amount) => {
    const place = take(owners, amount);
    const timer = setInterval(place.touch, SILENT_MS / 3);
    return () => {
      clearInterval(timer);
      place.release();
    };
  };

  return {
    take,
    hold,
    during(owners, work) {
      const release = hold(owners);
      return work().finally(release);
    },
    held: (name, owner) => sumOf(keyOf(name, owner)),
  };
}

function noPlace(name: HeldName, most: number): ProblemError {
  const { label, beyond } = SERVICE_LIMITS[name];
  const detail = `At most ${most} are held open at a time: ${label}.`;
  if (beyond === '429') return limitReached(detail);
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '10' } });
}

/** Creates the room for the body of a request of an account. */
export function createRoom({ hold }: Pick<Places, 'hold'>, accountId: string): Room {
  const releases: HeldPlace['release'][] = [];
  return {
    take(bytes) {
      if (bytes > 0) releases.push(hold({ body_kib: accountId, all_body_kib: '' }, Math.ceil(bytes / 1024)));
    },
    release() {
      for (const release of releases) release();
    },
  };
}
