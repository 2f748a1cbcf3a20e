import type { HostState } from '#domain/host-state.ts';
import type { Tally } from '../isolate-tally.ts';
import type { Backlog } from './backlog.ts';

/** What became of suggestions: counts that only grow. */
export interface SuggestionTotals {
  readonly suggested: number;
  readonly started: number;
  /** Of those that were suggested: no host has begun, and they wait again. */
  readonly unconfirmed: number;
}

/** What became of attempts: counts that only grow. */
export interface AttemptTotals {
  /** By the code that they failed with; '' for those that made a clip. */
  readonly ended: Readonly<Record<string, number>>;
  /** Of those that failed: their host fell silent, or had them for too long. */
  readonly expired: number;
}

/** Hosts of one state and build. */
export interface HostCount {
  readonly state: HostState;
  /** Of the game; where a host has none, what it draws with. */
  readonly build: string;
  readonly count: number;
}

/** What a dispatcher knows by number. The totals begin anew with each object that comes into memory. */
export interface DispatcherNumbers extends SuggestionTotals, AttemptTotals {
  readonly backlogs: readonly Backlog[];
  /** Jobs that hosts work on. */
  readonly leased: number;
  readonly hosts: readonly HostCount[];
  /** Attempts of webhooks; a total, too. */
  readonly webhooks: Tally['webhooks'];
  /** Streams of events that are open, as isolates have said within a minute. */
  readonly followers: number;
}
