import { advanceTag, type Offer } from '../../domain/fair-queue.ts';
import { type Capability, canDo, classOf } from '../../domain/need.ts';

export const AVOID_MS = 30_000;

const KINDS: Capability[] = [
  { maxResolution: 1080, maxFps: 30, renderer: 'radar', gameBuild: null },
  { maxResolution: 1080, maxFps: 120, renderer: 'cs2', gameBuild: '1' },
  { maxResolution: 1440, maxFps: 60, renderer: 'cs2', gameBuild: '2' },
  { maxResolution: 1440, maxFps: 120, renderer: 'radar', gameBuild: null, labels: ['eu', 'big'] },
];
export type ModelHost = { readonly id: string; readonly capability: Capability };
export const HOSTS: ModelHost[] = KINDS.flatMap((capability, kind) =>
  [0, 1].map((n) => ({ id: `h${kind}${n}`, capability })),
);

interface Queued {
  readonly offer: Offer;
  lane: number;
  vt: number;
  seq: number;
  readonly avoidUntil: number;
}

/** The queue as one looks at it who looks at every job each time. `seen`: hosts that asked for work, or are called. */
export function createModel(seen: ReadonlySet<string>) {
  const needOf = ({ resolution, fps, renderer = null, refusedBuilds = [], labels }: Offer) =>
    classOf({ resolution, fps, renderer, refusedBuilds, labels });
  const hasOther = (offer: Offer, hostId: string) =>
    HOSTS.some(({ id, capability }) => id !== hostId && seen.has(id) && canDo(capability, needOf(offer)));
  let queued: Queued[] = [];
  const running = new Map<string, string>();
  const tags = new Map<string, number>();
  const clocks = [
    { vt: 0, seq: 0 },
    { vt: 0, seq: 0 },
  ];
  const enter = (entry: Pick<Queued, 'offer' | 'avoidUntil'>, lane: number) => {
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
    if (accountId === undefined) return;
    const [up] = queued
      .filter(({ offer, lane }) => offer.accountId === accountId && offer.tier === 'reserved' && lane === 1)
      .toSorted((a, b) => a.seq - b.seq);
    if (!up) return;
    queued = queued.filter((entry) => entry !== up);
    enter(up, 0);
  };
  return {
    settle,
    add(offer: Offer, now: number) {
      if (queued.some((entry) => entry.offer.jobId === offer.jobId)) return;
      settle(offer.jobId);
      const mine = queued.filter(({ offer: { accountId }, lane }) => accountId === offer.accountId && lane === 0);
      const covered =
        mine.filter(({ offer: { tier } }) => tier === 'reserved').length +
        [...running.values()].filter((accountId) => accountId === offer.accountId).length;
      const isCovered = offer.tier === 'reserved' && (offer.slots === null || covered < offer.slots);
      enter({ offer, avoidUntil: now + AVOID_MS }, isCovered ? 0 : 1);
    },
    /** The next job of a host; the clock of its lane moves on only when the job is `taken`. */
    next(host: ModelHost, suggested: ReadonlySet<string>, now: number, isTaken: boolean): string | null {
      const { id: hostId, capability } = host;
      const able = queued
        .filter(({ offer }) => !suggested.has(offer.jobId))
        .filter(({ offer }) => canDo(capability, needOf(offer)))
        .filter(({ offer, avoidUntil }) => offer.avoidHost !== hostId || avoidUntil <= now || !hasOther(offer, hostId))
        .toSorted((a, b) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq);
      const [first] = able;
      if (!first) return null;
      const clock = clocks[first.lane];
      if (clock && isTaken) clock.vt = Math.max(clock.vt, first.vt);
      return first.offer.jobId;
    },
    start(jobId: string) {
      const entry = queued.find(({ offer }) => offer.jobId === jobId);
      queued = queued.filter((other) => other !== entry);
      if (entry?.lane === 0) running.set(jobId, entry.offer.accountId);
    },
    has: (jobId: string) => queued.some(({ offer }) => offer.jobId === jobId),
    avoids: (jobId: string) => queued.find(({ offer }) => offer.jobId === jobId)?.offer.avoidHost,
    size: () => queued.length,
  };
}
