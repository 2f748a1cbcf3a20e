/** How the operator keeps a host from further jobs. What it has in hand it finishes. */
export const HOLDS = ['paused', 'draining'] as const;
export type Hold = (typeof HOLDS)[number];

/** What the operator sees of a host. */
export const HOST_STATES = ['idle', 'busy', ...HOLDS, 'set aside', 'gone'] as const;
export type HostState = (typeof HOST_STATES)[number];

/** What the operator wants of a host. Times are milliseconds since the epoch. */
export interface HostPolicy {
  /** Grows with each change: of two that differ, the later one holds. */
  readonly revision: number;
  readonly labels: readonly string[];
  readonly hold: Hold | null;
  /** Null until somebody ends it. */
  readonly holdUntil: number | null;
}

/** A host that asks for work again and again, and has not for so long, is not there. A poll is held for 25 seconds. */
const GONE_MS = 150_000;

export interface HostFacts extends Pick<HostPolicy, 'hold' | 'holdUntil'> {
  readonly isRevoked: boolean;
  /** Null where its faults have not set it aside. */
  readonly asideUntil: number | null;
  /** Null before it was heard of. */
  readonly lastSeen: number | null;
  /** How many jobs it works on. While it does, it need not ask for more. */
  readonly jobs: number;
}

/** Facts go before wishes: a host that is not there is gone, whatever the operator wants of it. */
export function hostState(facts: HostFacts, now: number): HostState {
  const { isRevoked, lastSeen, jobs, asideUntil } = facts;
  if (isRevoked || (jobs === 0 && (lastSeen === null || now - lastSeen > GONE_MS))) return 'gone';
  const hold = holdAt(facts, now);
  if (hold !== null) return hold;
  if (asideUntil !== null && asideUntil > now) return 'set aside';
  return jobs > 0 ? 'busy' : 'idle';
}

/** The hold that is in force; null where there is none, or it has ended. */
export function holdAt({ hold, holdUntil }: Pick<HostPolicy, 'hold' | 'holdUntil'>, now: number): Hold | null {
  return holdUntil === null || holdUntil > now ? hold : null;
}
