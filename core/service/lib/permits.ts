import { type PermitName, SERVICE_LIMITS } from '#domain/operate/limits.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import type { BodyMemory } from '#http/read-body.ts';
import type { Settings } from '#platform/settings.ts';

/** Whose permits are taken, by limit. */
type Owners = Readonly<Partial<Record<PermitName, string>>>;

/** A permit that is not renewed expires after this time. The platform may end a request without notice. */
const PERMIT_TTL_MS = 60_000;
/** How often expired permits are released. */
const SWEEP_MS = 5000;

interface Permit {
  renew(): void;
  isExpired(): boolean;
  /** Gives the permit back. Repeatable. */
  release(): void;
}

/** Permits for what is open or in memory in an isolate, by limit and owner. Each isolate counts its own. */
export interface Permits {
  /**
   * Takes a permit of each limit, for an amount; all or none. Throws 429 with the name of a limit that is reached, or
   * 503 if it is the isolate's. It is synchronous, so concurrent requests cannot pass a limit.
   */
  take(owners: Owners, amount?: number, onRelease?: () => void): Permit;
  /** Takes a permit, and renews it as long as its request lives: the platform ends a request with its timers. */
  hold(owners: Owners, amount?: number): Permit['release'];
  /** Holds permits during some work. Throws and rejects likewise. */
  during<T>(owners: Owners, work: () => Promise<T>): Promise<T>;
  /** Returns the amount that an owner holds. */
  held(name: PermitName, owner: string): number;
}

export function createPermits({ limits }: Pick<Settings, 'limits'>, now: () => number): Permits {
  const permits = new Map<string, Map<Permit, number>>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  const keyOf = (name: string, owner = '') => `${name} ${owner}`;
  const sumOf = (key: string) => [...(permits.get(key)?.values() ?? [])].reduce((sum, amount) => sum + amount, 0);

  /** Releases the expired permits of all owners. */
  const sweep = () => {
    sweptAt = now();
    for (const all of permits.values()) for (const one of all.keys()) if (one.isExpired()) one.release();
  };

  const take: Permits['take'] = (owners, amount = 1, onRelease = () => {}) => {
    const names = Object.keys(owners) as PermitName[];
    const keys = names.map((name) => keyOf(name, owners[name]));
    if (Math.abs(now() - sweptAt) >= SWEEP_MS) sweep();
    const isFull = (name: PermitName) => sumOf(keyOf(name, owners[name])) + amount > limits[name];
    if (names.some(isFull)) sweep();
    const full = names.find(isFull);
    if (full !== undefined) throw noPermit(full, limits[full]);
    let renewedAt = now();
    const permit: Permit = {
      renew() {
        renewedAt = now();
      },
      isExpired: () => now() - renewedAt >= PERMIT_TTL_MS,
      release() {
        const released = keys.filter((key) => permits.get(key)?.delete(permit));
        for (const key of released) if (permits.get(key)?.size === 0) permits.delete(key);
        if (released.length > 0) onRelease();
      },
    };
    for (const key of keys) permits.set(key, (permits.get(key) ?? new Map<Permit, number>()).set(permit, amount));
    return permit;
  };

  const hold: Permits['hold'] = (owners, amount) => {
    const permit = take(owners, amount);
    const timer = setInterval(permit.renew, PERMIT_TTL_MS / 3);
    return () => {
      clearInterval(timer);
      permit.release();
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

function noPermit(name: PermitName, most: number): ProblemError {
  const { label, beyond } = SERVICE_LIMITS[name];
  const detail = `${label}: at most ${most} at a time.`;
  if (beyond === '429') return limitReached(detail);
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '10' } });
}

/** Counts the bytes of a request's body that are in memory, for an account. */
export function createBodyMemory({ hold }: Pick<Permits, 'hold'>, accountId: string): BodyMemory {
  const releases: Permit['release'][] = [];
  return {
    take(bytes) {
      if (bytes > 0) releases.push(hold({ body_kib: accountId, all_body_kib: '' }, Math.ceil(bytes / 1024)));
    },
    release() {
      for (const release of releases) release();
    },
  };
}
