/** How the operator keeps a host from further jobs. It finishes the jobs that it has. */
export const HOLDS = ['paused', 'draining'] as const;
export type Hold = (typeof HOLDS)[number];

/** The states of a host, as the operator sees them. */
export const HOST_STATES = ['idle', 'busy', ...HOLDS, 'set aside', 'resting', 'lost', 'gone'] as const;
export type HostState = (typeof HOST_STATES)[number];

/** The operator's policy for a host. Times are milliseconds since the epoch. */
export interface HostPolicy {
  /** Grows with each change: the higher revision wins. */
  readonly revision: number;
  readonly labels: readonly string[];
  readonly hold: Hold | null;
  /** Null until an operator ends it. */
  readonly holdUntil: number | null;
  /** Whether the recorder of a push host does not fit its build. A claim of another host says so itself. */
  readonly isUnfit?: boolean | undefined;
}

/** Why a push host did not take the last job that it was sent. */
export interface Rest {
  /** Its answer, in words. */
  readonly why: string;
  /** Whether it is full or away by its own word. */
  readonly isAsked: boolean;
  /** It is sent no job before this time, in milliseconds since the epoch. Null: the next job tries it. */
  readonly until: number | null;
}

/** A host without a poll for so long is gone. A poll is held for 25 seconds. */
const GONE_MS = 150_000;

export interface HostFacts extends Pick<HostPolicy, 'hold' | 'holdUntil'> {
  readonly isRevoked: boolean;
  /** Null unless its faults have set it aside. */
  readonly asideUntil: number | null;
  /** Whether its build of the game gets no jobs. */
  readonly isBarred: boolean;
  /** Null for a host that polls, and for one that took its last job. */
  readonly rest: Rest | null;
  /** Whether the lease of its last job ended without a sign of life, and none came since. */
  readonly isSilent: boolean;
  /** Null before its first poll. */
  readonly lastSeen: number | null;
  /** Jobs that it works on. A busy host need not poll. */
  readonly jobs: number;
}

/**
 * Returns the state that an operator sees. A host without a sign of life is lost if it had a job, and gone otherwise,
 * whatever its policy is. A push host at work that has no slot for another job is busy.
 */
export function hostState(facts: HostFacts, now: number): HostState {
  const { isRevoked, lastSeen, jobs, asideUntil, isBarred, isSilent, rest } = facts;
  if (isRevoked) return 'gone';
  if (isSilent && jobs === 0) return 'lost';
  if (rest === null && jobs === 0 && (lastSeen === null || now - lastSeen > GONE_MS)) return 'gone';
  const hold = holdAt(facts, now);
  if (hold !== null) return hold;
  if (isBarred || (asideUntil !== null && asideUntil > now)) return 'set aside';
  if (rest !== null && !(rest.isAsked && jobs > 0)) return 'resting';
  return jobs > 0 ? 'busy' : 'idle';
}

/** Returns the hold in force; null if there is none, or it has ended. */
export function holdAt({ hold, holdUntil }: Pick<HostPolicy, 'hold' | 'holdUntil'>, now: number): Hold | null {
  return holdUntil === null || holdUntil > now ? hold : null;
}

/** Whether a version is lower than the required one, such as 1.4.0. A text that is no version is the lowest. */
export function isOlder(version: string, least: string): boolean {
  const have = numbersOf(version);
  const want = numbersOf(least) ?? [];
  if (have === null) return true;
  const differing = want.findIndex((number, i) => number !== (have[i] ?? 0));
  return differing >= 0 && (have[differing] ?? 0) < (want[differing] ?? 0);
}

/** Returns the numbers of a version: 1.4.0 and 1.4.0-rc.1 give the same. Null for anything else. */
function numbersOf(version: string): readonly number[] | null {
  const [, numbers] = /^v?(\d+(?:\.\d+){0,2})(?:[-+].*)?$/.exec(version) ?? [];
  return numbers === undefined ? null : numbers.split('.').map(Number);
}
