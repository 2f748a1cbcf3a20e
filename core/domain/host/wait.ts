import { type Capability, canDo, type Need, type Skill } from './need.ts';

export interface QueueEstimate {
  /** The first job has position 1. */
  readonly position: number;
  /** Seconds until it is assigned; null if there is too little data. */
  readonly estimateS: number | null;
}

/** The speed of a queue, from the jobs that left it recently. */
export interface Pace {
  /** Counts a job that left. Times are milliseconds since the epoch. */
  note(now: number): void;
  /** Returns the estimate for a job behind `before` others; null if `before` is. */
  estimateBehind(before: number | null, now: number): QueueEstimate | null;
}

const REMEMBERED = 64;
const SINCE_MS = 10 * 60_000;
/** The least jobs for an estimate: two may leave together by chance. */
const FEWEST = 3;

export function createPace(): Pace {
  const times: number[] = [];
  return {
    note(now) {
      times.push(now);
      if (times.length > REMEMBERED) times.shift();
    },
    estimateBehind(before, now) {
      if (before === null) return null;
      const position = before + 1;
      const recent = times.filter((time) => time > now - SINCE_MS);
      const [first] = recent;
      if (first === undefined || recent.length < FEWEST) return { position, estimateS: null };
      return { position, estimateS: Math.ceil((position * (now - first)) / recent.length / 1000) };
    },
  };
}

/** Why a job waits. `offered` and `in_turn`: nothing keeps it from a host. */
export const WAIT_REASONS = [
  'account_suspended',
  'retry_later',
  'no_host',
  'hosts_gone',
  'hosts_awaited',
  'hosts_held',
  'host_avoided',
  'slots_in_use',
  'share_in_use',
  'hosts_busy',
  'offered',
  'in_turn',
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** What a host can do for the queue now: take a job (`free`), or why it can take none. */
const HOST_WORDS = {
  busy: 'busy',
  held: 'held by the operator',
  resting: 'resting after a refused job',
  'set aside': 'set aside after faults',
  barred: 'set aside because of the build of the game',
} as const;
export type Readiness = 'free' | keyof typeof HOST_WORDS;

/** Hosts of one kind and readiness. */
export interface HostGroup {
  /** Null for hosts that work, and have not polled since the dispatcher started. */
  readonly capability: Capability | null;
  readonly readiness: Readiness;
  /** When the first of them is ready again, in milliseconds since the epoch; null if that is not known. */
  readonly until: number | null;
  readonly count: number;
  /** One of them. */
  readonly hostId: string;
}

/** The hosts that are there, and those that were. */
export interface Fleet {
  readonly groups: readonly HostGroup[];
  /** Kinds of hosts that were seen within a day, and when. */
  readonly kinds: readonly { readonly capability: Capability; readonly at: number }[];
  /** Whether the dispatcher has started so recently that not all hosts have called. */
  readonly isStarting: boolean;
}

/** A job in the dispatcher's queue. Times are milliseconds since the epoch. */
export interface QueuedJob {
  /** Its class, by which hosts get it. */
  readonly need: Need;
  readonly isSuspended: boolean;
  /** Whether it is suggested to a host. */
  readonly isSuggested: boolean;
  /** Slots of its account that are in use, if that is why the job is not covered. */
  readonly slotsInUse: number | null;
  /** Whether its account has its share, and other accounts wait. */
  readonly isShareUsed: boolean;
  /** The host that failed it, if it prefers another one. */
  readonly avoids: { readonly hostId: string; readonly until: number } | null;
  /** Null if it was not asked for, or the account is suspended. */
  readonly place: QueueEstimate | null;
}

/** What of a job decides why it waits. */
export interface WaitingRun {
  readonly need: Need;
  /** Null if the job is in no queue, or is not looked for. */
  readonly queued?: QueuedJob | null;
  readonly retryAt?: number | null;
  /** When the radar may make the clip instead. */
  readonly fallbackAt?: number | null;
}

export interface Wait {
  readonly reason: WaitReason;
  /** For people, with a full stop. Names no host and no other account. */
  readonly text: string;
  /** Hosts that are there and can do the job. */
  readonly hosts: number;
  /** When the reason ends by itself, in milliseconds since the epoch; null if that is not known. */
  readonly until: number | null;
}

/** Whether none of the present hosts can take the job. */
export function isUnservable({ reason }: { readonly reason: string }): boolean {
  return reason === 'no_host' || reason === 'hosts_gone';
}

/** The reason for a job whose next attempt is at this time. */
export function waitForRetry(retryAt: number): Wait {
  const text = `It is tried again at ${timeOf(retryAt)}.`;
  return { reason: 'retry_later', text, hosts: 0, until: retryAt };
}

/**
 * Returns why a job waits, from what the dispatcher has on it and the hosts. `showsLabels`: names the labels that the
 * account requires, which only operators see.
 */
export function waitOf(run: WaitingRun, fleet: Fleet, now: number, showsLabels: boolean): Wait {
  const { queued = null, retryAt = null, fallbackAt = null } = run;
  const need = queued?.need ?? run.need;
  const task = taskOf(run.need, showsLabels);
  const kinds = fleet.kinds.filter(({ capability }) => canDo(capability, need));
  // A host that works has polled, so it is of a known kind.
  const able = fleet.groups.filter(({ capability }) =>
    capability === null ? kinds.length > 0 : canDo(capability, need),
  );
  const hosts = countOf(able);
  const because = (reason: WaitReason, text: string, until: number | null = null): Wait => {
    return { reason, text, hosts, until };
  };

  if (retryAt !== null) return { ...waitForRetry(retryAt), hosts };
  if (queued?.isSuspended) return because('account_suspended', 'The account is suspended.');
  if (queued?.isSuggested) return because('offered', 'It is offered to a host now.');
  const fallback = fallbackAt === null ? '' : ` The radar makes the clip if this lasts until ${timeOf(fallbackAt)}.`;
  if (hosts === 0) {
    if (kinds.length === 0) {
      return because('no_host', `No host can ${task}: ${lackOf(need, fleet, showsLabels)}.${fallback}`, fallbackAt);
    }
    if (fleet.isStarting) {
      return because('hosts_awaited', `The service has just started, and no host that can ${task} has called yet.`);
    }
    const seen = timeOf(Math.max(...kinds.map(({ at }) => at)));
    return because('hosts_gone', `No host that can ${task} is there. One was seen at ${seen}.${fallback}`, fallbackAt);
  }

  const free = able.filter(({ readiness }) => readiness === 'free');
  const avoids = queued?.avoids ?? null;
  const isAvoided = ({ count, hostId }: HostGroup) => count === 1 && hostId === avoids?.hostId;
  if (free.some((group) => !isAvoided(group))) {
    const which = countOf(free) === 1 ? '1 host that can' : `${countOf(free)} hosts that can`;
    return because(
      'in_turn',
      `It is given out in its turn: ${which} ${task} ${countOf(free) === 1 ? 'is' : 'are'} free.`,
    );
  }
  const others = able.filter(({ readiness }) => readiness !== 'free');
  const unready = others.length === 0 ? '' : ` ${sentenceOf(others, task)}`;
  if (free.length > 0 && avoids !== null) {
    const text = `It avoids the host that failed it until ${timeOf(avoids.until)}.`;
    return because('host_avoided', text + unready, avoids.until);
  }
  const sentence = unready.trim();
  if (!able.some(({ readiness }) => readiness === 'busy')) {
    const times = able.flatMap(({ until }) => (until !== null && until > now ? until : []));
    const until = times.length > 0 ? Math.min(...times) : null;
    const back = until === null ? '' : ` The first is back at ${timeOf(until)}.`;
    return because('hosts_held', sentence + back + fallback, until ?? fallbackAt);
  }
  if (queued?.slotsInUse) {
    const slots = queued.slotsInUse;
    const used = `${slots} provisioned ${slots === 1 ? 'slot of the account is' : 'slots of the account are'} in use.`;
    return because('slots_in_use', `${used} ${sentence}`);
  }
  if (queued?.isShareUsed) {
    return because('share_in_use', `The account has its share of the hosts, and other accounts wait. ${sentence}`);
  }
  return because('hosts_busy', sentence);
}

function countOf(groups: readonly HostGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** Says what keeps these hosts from the job. */
function sentenceOf(groups: readonly HostGroup[], task: string): string {
  const parts = Object.entries(HOST_WORDS).flatMap(([readiness, words]) => {
    const count = countOf(groups.filter((group) => group.readiness === readiness));
    return count > 0 ? [`${count} ${count === 1 ? 'is' : 'are'} ${words}`] : [];
  });
  const count = countOf(groups);
  const [only = ''] = parts;
  const words = only.replace(/^\d+ /, '');
  if (parts.length > 1) return `Of ${count} hosts that can ${task}, ${parts.join(', ')}.`;
  return count === 1 ? `The only host that can ${task} ${words}.` : `All ${count} hosts that can ${task} ${words}.`;
}

function taskOf({ resolution, fps, renderer, refusedBuilds, labels = [], skills = [] }: Need, showsLabels: boolean) {
  const by = renderer === null ? '' : renderer === 'cs2' ? ' with the game' : ' with the radar';
  const work = skills.includes('inspect') ? 'inspect demos' : `render ${resolution}p at ${fps} fps${by}`;
  const whose = labels.length === 0 ? '' : showsLabels ? ` for ${labels.join(', ')}` : ' for the account';
  return work + whose + (refusedBuilds.length > 0 ? ' and play the demo' : '');
}

/** What `lackOf` says of a skill that no host has. */
const LACKS: Readonly<Record<Skill, string>> = {
  inspect: 'none inspects demos',
  tracks: 'none writes replays',
  uploads: 'none fetches uploaded demos',
  aspect: 'none draws other shapes than 16:9',
  names: 'none replaces the names of players',
};

/** Says which requirements no host meets. */
function lackOf(need: Need, { groups }: Fleet, showsLabels: boolean): string {
  const there = groups.flatMap(({ capability }) => capability ?? []);
  if (there.length === 0) return 'no host is there';
  const { resolution, fps, renderer, refusedBuilds, labels = [], skills = [] } = need;
  const nothing: Need = { resolution: 0, fps: 0, renderer: null, refusedBuilds: [] };
  const isMet = (part: Partial<Need>) => there.some((capability) => canDo(capability, { ...nothing, ...part }));
  const parts: [Partial<Need>, string][] = [
    [{ renderer }, renderer === 'cs2' ? 'none has the game' : 'none is a radar'],
    [{ resolution }, `none renders ${resolution}p`],
    [{ fps }, `none renders ${fps} fps`],
    ...labels.map((label): [Partial<Need>, string] => [
      { labels: [label] },
      showsLabels ? `none has the label ${label}` : 'none is one that the account requires',
    ]),
    ...skills.map((skill): [Partial<Need>, string] => [{ skills: [skill] }, LACKS[skill]]),
  ];
  const lacking = parts.flatMap(([part, words]) => (isMet(part) ? [] : [words]));
  if (lacking.length > 0) return [...new Set(lacking)].join(', ');
  if (!isMet({ renderer, refusedBuilds })) return 'each has a build of the game that refused the demo';
  return 'none can do all of it';
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
