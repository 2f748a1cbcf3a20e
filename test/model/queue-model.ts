import { advanceTag, type Offer } from '#domain/host/fair-queue.ts';
import { type Capability, canDo, classOf } from '#domain/host/need.ts';

export const AVOID_MS = 30_000;

const KINDS: Capability[] = [
  { maxResolution: 1080, maxFps: 30, renderer: 'radar', gameBuild: null },
  { maxResolution: 1080, maxFps: 120, renderer: 'cs2', gameBuild: '1' },
  { maxResolution: 1440, maxFps: 60, renderer: 'cs2', gameBuild: '2', skills: ['inspect', 'uploads'] },
  { maxResolution: 1440, maxFps: 120, renderer: 'radar', gameBuild: null, labels: ['eu', 'big'] },
];
export type ModelHost = {
  readonly id: string;
  readonly capability: Capability;
  readonly demoKeys: readonly string[];
};
/** Of each kind, one host has no cached demos, and one has some. */
const KEPT = [['k1'], ['k2'], ['k1', 'k2'], ['k3']];
export const HOSTS: ModelHost[] = KINDS.flatMap((capability, kind) => [
  { id: `h${kind}0`, capability, demoKeys: [] },
  { id: `h${kind}1`, capability, demoKeys: KEPT[kind] ?? [] },
]);
/** How many jobs after the next one are checked for a demo that the host has, and how often a job may be passed. */
const LOOK_FOR_DEMO = 8;
export const MOST_PASSED = 4;

/** In the order of assignment. */
const COVERED = 0;
const SHORT = 1;
const BEST_EFFORT = 2;

interface Queued {
  readonly offer: Offer;
  lane: number;
  vt: number;
  seq: number;
  readonly avoidUntil: number;
  passed: number;
}

/**
 * Creates a simple model of the queue that scans every job each time. `seen`: hosts that asked for work, and push
 * hosts. `share`: the share of the assigned jobs for best-effort jobs of one account while other accounts wait.
 */
export function createModel(seen: ReadonlySet<string>, share = 1) {
  const needOf = ({ resolution, fps, renderer = null, refusedBuilds = [], labels, skills }: Offer) =>
    classOf({ resolution, fps, renderer, refusedBuilds, labels, skills });
  const hasOther = (offer: Offer, hostId: string) =>
    HOSTS.some(({ id, capability }) => id !== hostId && seen.has(id) && canDo(capability, needOf(offer)));
  let queued: Queued[] = [];
  const running = new Map<string, string>();
  const suspended = new Set<string>();
  /** The jobs that hosts work on; null for covered jobs. */
  const working = new Map<string, Pick<Queued, 'offer' | 'lane'> | null>();
  const hasShare = (lane: number, accountId: string, suggested: ReadonlySet<string>) => {
    const jobs = new Map(working);
    for (const entry of queued) if (suggested.has(entry.offer.jobId)) jobs.set(entry.offer.jobId, entry);
    const mine = [...jobs.values()].filter((one) => one && one.lane !== COVERED && one.offer.accountId === accountId);
    const most = Math.max(1, Math.floor((jobs.size + 1) * share));
    return lane !== COVERED && mine.some((one) => one?.lane === lane) && mine.length >= most;
  };
  /** Hosts whose last job was an inspection. */
  const inspected = new Set<string>();
  /** Whether a clip goes before inspections: they have a quarter of all jobs, or a lone host has just done one. */
  const isClipNext = (clip: Queued | undefined, hostId: string, suggested: ReadonlySet<string>) => {
    const jobs = new Map(working);
    for (const entry of queued) if (suggested.has(entry.offer.jobId)) jobs.set(entry.offer.jobId, entry);
    const inspections = [...jobs.values()].filter((one) => one?.lane === SHORT).length;
    const isAlone = () => jobs.size === 0 || (clip && !hasOther(clip.offer, hostId));
    const most = Math.max(1, Math.floor((jobs.size + 1) / 4));
    return clip !== undefined && (inspections >= most || (inspected.has(hostId) && isAlone()));
  };
  const isWaiting = ({ offer }: Queued) => !suspended.has(offer.accountId);
  const tags = new Map<string, number>();
  const clocks = [COVERED, SHORT, BEST_EFFORT].map(() => ({ vt: 0, seq: 0 }));
  const enter = (entry: Pick<Queued, 'offer' | 'avoidUntil' | 'passed'>, lane: number) => {
    const clock = clocks[lane] ?? { vt: 0, seq: 0 };
    const tag = `${lane} ${entry.offer.accountId}`;
    const { start, next } = advanceTag(clock.vt, tags.get(tag) ?? null, entry.offer);
    tags.set(tag, next);
    queued.push({ ...entry, lane, vt: start, seq: clock.seq++ });
  };
  const settle = (jobId: string) => {
    queued = queued.filter(({ offer }) => offer.jobId !== jobId);
    const accountId = running.get(jobId);
    running.delete(jobId);
    working.delete(jobId);
    if (accountId === undefined) return;
    const [up] = queued
      .filter(({ offer, lane }) => offer.accountId === accountId && offer.tier === 'reserved' && lane === BEST_EFFORT)
      .toSorted((a, b) => a.seq - b.seq);
    if (!up) return;
    queued = queued.filter((entry) => entry !== up);
    enter(up, COVERED);
  };
  return {
    settle,
    add(offer: Offer, now: number) {
      const isSame = ({ jobId, renderer }: Offer) => jobId === offer.jobId && renderer === offer.renderer;
      if (queued.some((entry) => isSame(entry.offer))) return;
      settle(offer.jobId);
      const mine = queued.filter(({ offer: { accountId }, lane }) => accountId === offer.accountId && lane === COVERED);
      const covered =
        mine.filter(({ offer: { tier } }) => tier === 'reserved').length +
        [...running.values()].filter((accountId) => accountId === offer.accountId).length;
      const isCovered = offer.tier === 'reserved' && (offer.slots === null || covered < offer.slots);
      const lane = offer.isShort ? SHORT : isCovered ? COVERED : BEST_EFFORT;
      enter({ offer, avoidUntil: now + AVOID_MS, passed: 0 }, lane);
    },
    /** Returns the next job of a host. The clock of its lane advances only when the job is `taken`. */
    next(host: ModelHost, suggested: ReadonlySet<string>, now: number, isTaken: boolean): string | null {
      const { id: hostId, capability, demoKeys } = host;
      const inOrder = (a: Queued, b: Queued) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq;
      const mayHave = ({ offer, avoidUntil }: Queued) =>
        !suggested.has(offer.jobId) && (offer.avoidHost !== hostId || avoidUntil <= now || !hasOther(offer, hostId));
      const isKept = ({ offer: { demoKey } }: Queued) => demoKey !== undefined && demoKeys.includes(demoKey);
      const all = queued
        .filter((entry) => isWaiting(entry) && mayHave(entry) && canDo(capability, needOf(entry.offer)))
        .toSorted(inOrder);
      const clip = all.find(({ lane }) => lane === BEST_EFFORT);
      const able = isClipNext(clip, hostId, suggested) ? all.filter(({ lane }) => lane !== SHORT) : all;
      const first = able.find(({ lane, offer }) => !hasShare(lane, offer.accountId, suggested)) ?? able[0];
      if (!first) return null;
      if (isTaken) inspected[first.lane === SHORT ? 'add' : 'delete'](hostId);
      const need = JSON.stringify(needOf(first.offer));
      const found = queued
        .filter(
          (entry) => isWaiting(entry) && entry.lane === first.lane && JSON.stringify(needOf(entry.offer)) === need,
        )
        .toSorted(inOrder)
        .filter((entry) => inOrder(entry, first) > 0)
        .slice(0, LOOK_FOR_DEMO)
        .find((entry) => entry.offer.accountId === first.offer.accountId && isKept(entry) && mayHave(entry));
      const isPassed = found !== undefined && !isKept(first) && first.passed < MOST_PASSED;
      if (isPassed && isTaken) {
        // They swap places, so the account's turn does not change.
        [first.vt, found.vt] = [found.vt, first.vt];
        [first.seq, found.seq] = [found.seq, first.seq];
        first.passed++;
      }
      const taken = isPassed ? found : first;
      const clock = clocks[taken.lane];
      if (clock && isTaken) clock.vt = Math.max(clock.vt, taken.vt);
      return taken.offer.jobId;
    },
    start(jobId: string) {
      const entry = queued.find(({ offer }) => offer.jobId === jobId);
      queued = queued.filter((other) => other !== entry);
      if (entry?.lane === COVERED) running.set(jobId, entry.offer.accountId);
      if (entry && entry.lane !== COVERED) working.set(jobId, entry);
      else working.set(jobId, working.get(jobId) ?? null);
    },
    suspend(accountId: string) {
      suspended.add(accountId);
    },
    /** Its jobs go behind jobs that were taken meanwhile, in their own order. */
    resume(accountId: string) {
      if (!suspended.delete(accountId)) return;
      for (const [lane, clock] of clocks.entries()) {
        const mine = queued.filter((entry) => entry.lane === lane && entry.offer.accountId === accountId);
        const lag = Math.max(0, clock.vt - Math.min(...mine.map(({ vt }) => vt)));
        for (const entry of mine) entry.vt += lag;
        const tag = `${lane} ${accountId}`;
        tags.set(tag, (tags.get(tag) ?? 0) + lag);
      }
    },
    /** Forgets what the dispatcher has only in memory. */
    forget: () => inspected.clear(),
    has: (jobId: string) => queued.some(({ offer }) => offer.jobId === jobId),
    avoids: (jobId: string) => queued.find(({ offer }) => offer.jobId === jobId)?.offer.avoidHost,
    size: () => queued.filter(isWaiting).length,
  };
}
