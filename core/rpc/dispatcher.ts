import type { Tier } from '#domain/account/account.ts';
import type { Offer } from '#domain/host/fair-queue.ts';
import type { Hold, HostPolicy, HostState, Rest } from '#domain/host/host-state.ts';
import type { Capability, Need } from '#domain/host/need.ts';
import type { AttemptEnd } from '#domain/host/set-aside.ts';
import type { Fleet, QueuedJob } from '#domain/host/wait.ts';

/** The calls that the Dispatcher object answers. Each may be repeated. */
export interface DispatcherRpc {
  /** Queues a job and assigns it at once if a host waits. A queued job keeps its place. */
  offer(offer: Offer): void;
  /**
   * Returns the next job that a host can do. Waits up to `waitMs` for one. Null if none came or the poll was ended. A
   * host with a policy that may have no job gets the reason.
   */
  next(query: WorkQuery): Promise<Suggestion | Held | 'no_slot' | null>;
  /** Ends a poll whose host has disconnected, so that it is assigned no job. */
  endPoll(pollId: string): void;
  /** Adds or replaces a push host. It is sent jobs until it is unregistered, also after an eviction of this object. */
  registerPushHost(host: RegisteredPushHost): void;
  unregisterPushHost(hostId: string): void;
  /** Removes a job from the queue because a host works on it. */
  started(jobId: string, hostId: string): void;
  /**
   * Removes a job that has ended or waits for its retry. It holds no place and no slot any more, and the account's next
   * job moves up. `end`: how its attempt ended, if a host had it.
   */
  settle(jobId: string, end?: AttemptEnd): void;
  /** Removes a suggested job that does not wait for a host. Does nothing if the job has offered itself since. */
  drop(suggestion: Suggestion): void;
  /** Cancels a suggestion: its job may be suggested again, and its host may get another job. */
  takeBack(suggestion: Suggestion): void;
  /** Applies the operator's changes to a host, and answers its polls. `forgive`: resets its faults. */
  revise(hostId: string, policy: HostPolicy, forgive: boolean): void;
  /** Suspends or resumes an account's jobs. */
  suspend(accountId: string, isSuspended: boolean): void;
  /** Returns the activity of each host, with at most `jobs` of its jobs and `ended` of its attempts that ended. */
  hostActivity(hostIds: readonly string[], jobs: number, ended: number): HostActivity[];
  /** Whether a host that was seen within a day can do this. */
  hasKindFor(need: Need): boolean;
  /** Whether a host that may get jobs now can do this, and has one or was seen within these milliseconds. */
  hasHostFor(need: Need, withinMs: number): boolean;
  /** Returns what the queue has on each job, maybe with its place; null for a job that is not queued. */
  findJobs(jobIds: readonly string[], hasPlaces: boolean): (QueuedJob | null)[];
  /** Returns the hosts by kind. */
  fleet(): Fleet;
  /** Adds the counts of an isolate. */
  addTally(tally: Tally): void;
  /** Returns counts for monitoring. The cost does not depend on the length of the queue. */
  numbers(): DispatcherNumbers;
}

/** A host that polls for work. */
export interface WorkQuery {
  readonly hostId: string;
  readonly capability: Capability;
  /** Demos that the host has cached. */
  readonly demoKeys?: readonly string[] | undefined;
  readonly pollId: string;
  readonly waitMs: number;
  /** How many jobs the host may have at a time. */
  readonly slots: number;
  /** The operator's policy for the host. */
  readonly policy?: HostPolicy;
  /** Whether the host's build of the game gets no jobs. */
  readonly isBarred?: boolean;
  /** Whether the host's clock is off. */
  readonly isClockOff?: boolean;
  /** Bytes that are free for its work folder. */
  readonly freeBytes?: number | undefined;
}

/** A job that a host may claim. `token` is different for each suggestion of the job. */
export interface Suggestion {
  readonly jobId: string;
  readonly token: string;
}

/** Why a host gets no work, and until when: null until an operator ends it. */
export interface Held {
  readonly held: Hold | 'set aside';
  readonly until: number | null;
}

/** A push host: how many jobs it may have now, and what it can do. */
export interface RegisteredPushHost {
  readonly hostId: string;
  readonly slots: number;
  readonly capability: Capability;
  /** The operator's policy for the host. */
  readonly policy?: HostPolicy | undefined;
  /** Null if it took the last job that it was sent. */
  readonly rest: Rest | null;
}

export interface HostActivity {
  /**
   * The host's last poll or report, in milliseconds since the epoch; now for a push host that takes jobs. After a
   * restart of the object it may be a minute too early. Null if there was none within a day.
   */
  readonly lastSeen: number | null;
  /** Jobs that it works on. */
  readonly jobs: readonly string[];
  /** Null unless its faults have set it aside. */
  readonly asideUntil: number | null;
  readonly rest: Rest | null;
  readonly isSilent: boolean;
  /** As it last reported; null if it reported none. */
  readonly freeBytes: number | null;
  /** The latest first, among the last 2,000 of all hosts. */
  readonly ended: readonly EndedOnHost[];
}

/** An attempt that ended with a clip or a failure. */
export interface EndedOnHost extends Omit<AttemptEnd, 'isExpired'> {
  readonly jobId: string;
}

/** The outcomes of an attempt to deliver a webhook; `unanswered`: no connection, or no answer in time. */
export type AttemptOutcome = 'delivered' | 'refused' | 'unanswered';

/** The counts of an isolate since its last report. */
export interface Tally {
  readonly isolate: string;
  readonly webhooks: Readonly<Record<AttemptOutcome, number>>;
  /** Streams of events that are open now. */
  readonly followers: number;
  /** Requests that the limits of their accounts refused, by account. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The requests of an account that its limits refused within ten minutes. */
export interface AccountRefusals {
  readonly accountId: string;
  readonly count: number;
}

export interface HostCount {
  readonly state: HostState;
  /** The build of the game; for a host without the game, its renderer. */
  readonly build: string;
  readonly count: number;
  readonly clocksOff: number;
}

/** The waiting jobs of one tier. */
export interface Backlog {
  readonly tier: Tier;
  readonly waiting: number;
  /** When the first of them was queued, to ten seconds, in milliseconds since the epoch; null if none waits. */
  readonly oldestAt: number | null;
}

/** The waiting jobs of one need. */
export interface NeedBacklog extends Omit<Backlog, 'tier'> {
  readonly need: Need;
}

/** The counts of the dispatcher. Totals only grow, from zero when the object comes into memory. */
export interface DispatcherNumbers extends Pick<Tally, 'followers' | 'webhooks'> {
  /** Totals of suggestions. `unconfirmed`: no host has confirmed them, and the jobs wait again. */
  readonly suggested: number;
  readonly started: number;
  readonly unconfirmed: number;
  /** Totals of attempts by the code that they failed with; '' for those that made a clip. */
  readonly ended: Readonly<Record<string, number>>;
  /** The total of attempts whose lease expired. */
  readonly expired: number;
  readonly backlogs: readonly Backlog[];
  /** The same by need. */
  readonly needs: readonly NeedBacklog[];
  readonly fleet: Fleet;
  /** Jobs that hosts work on. */
  readonly leased: number;
  readonly hosts: readonly HostCount[];
  /** Accounts with refused requests, the most first, without suspended ones. */
  readonly refused: readonly AccountRefusals[];
}
