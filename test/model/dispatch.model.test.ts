import fc from 'fast-check';
import { expect, it } from 'vitest';
import { advanceTag, type Offer } from '../../domain/fair-queue.ts';
import { type Capability, canDo, classOf } from '../../domain/need.ts';
import { createDispatch, type Suggestion } from '../../durable-objects/dispatcher/dispatch.ts';
import { createQueueStorage } from '../support/queue-storage.ts';

/**
 * The dispatcher against a model that looks at every job each time: what is suggested to whom has to be the same,
 * whatever was suggested before, came to nothing, was forgotten with the object, or is beyond a host.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 200);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const SUGGESTED_FOR_MS = 10_000;
const AVOID_MS = 30_000;
/** Hosts that asked are remembered for longer. */
const LONGEST_MS = 590_000;

const KINDS: Capability[] = [
  { maxResolution: 1080, maxFps: 30, renderer: 'radar', gameBuild: null },
  { maxResolution: 1080, maxFps: 120, renderer: 'cs2', gameBuild: '1' },
  { maxResolution: 1440, maxFps: 60, renderer: 'cs2', gameBuild: '2' },
  { maxResolution: 1440, maxFps: 120, renderer: 'radar', gameBuild: null, labels: ['eu', 'big'] },
];
const HOSTS = KINDS.flatMap((capability, kind) => [0, 1].map((n) => ({ id: `h${kind}${n}`, capability })));

type Step =
  | { readonly do: 'offer'; readonly offer: Offer }
  | { readonly do: 'next' | 'wait'; readonly host: number }
  | { readonly do: 'started' | 'settle' | 'drop'; readonly job: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'forget' };

const JOBS = 12;
const job = fc.integer({ min: 0, max: JOBS - 1 });
const host = fc.integer({ min: 0, max: HOSTS.length - 1 });
const offer = fc.record({
  jobId: job.map((n) => `j${n}`),
  accountId: fc.constantFrom('a', 'b', 'c'),
  tier: fc.constantFrom('metered' as const, 'reserved' as const),
  resolution: fc.constantFrom(1080, 1440),
  fps: fc.constantFrom(24, 30, 60, 61, 120),
  slots: fc.constantFrom(null, 0, 1, 2),
  renderer: fc.constantFrom(null, null, 'cs2' as const),
  refusedBuilds: fc.constantFrom([], [], ['1']),
  labels: fc.constantFrom(undefined, [], ['eu']),
  avoidHost: fc.constantFrom(null, null, ...HOSTS.map(({ id }) => id)),
  avoidMs: fc.constant(AVOID_MS),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('offer' as const), offer }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('next' as const, 'wait' as const), host }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('started' as const, 'settle' as const, 'drop' as const), job }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 25_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
);

interface Queued {
  readonly offer: Offer;
  lane: number;
  vt: number;
  seq: number;
  readonly avoidUntil: number;
}

function createModel(seen: ReadonlySet<string>) {
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
    next(host: (typeof HOSTS)[number], suggested: ReadonlySet<string>, now: number, isTaken: boolean): string | null {
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
    avoids: (jobId: string) => queued.find(({ offer }) => offer.jobId === jobId)?.offer.avoidHost,
    size: () => queued.length,
  };
}

function run(steps: readonly Step[]): void {
  let now = 0;
  let wakeAt: number | null = null;
  let tokens = 0;
  const storage = createQueueStorage();
  const create = () =>
    createDispatch({
      storage,
      now: () => now,
      newToken: () => String(tokens++),
      wake: (ms) => {
        wakeAt = now + ms;
      },
    });
  let dispatch = create();
  const seen = new Set<string>();
  const model = createModel(seen);
  const suggested = new Map<string, { readonly token: string; readonly until: number }>();
  let waiting = new Set<string>();
  const hidden = () => {
    for (const [jobId, { until }] of suggested) if (until <= now) suggested.delete(jobId);
    return new Set(suggested.keys());
  };
  const noteSuggestion = ({ jobId, token }: Suggestion) =>
    suggested.set(jobId, { token, until: now + SUGGESTED_FOR_MS });

  for (const step of steps) {
    switch (step.do) {
      case 'offer':
        suggested.delete(step.offer.jobId);
        model.add(step.offer, now);
        dispatch.offer(step.offer);
        break;
      case 'next':
      case 'wait': {
        const host = HOSTS[step.host] as (typeof HOSTS)[number];
        const { id, capability } = host;
        seen.add(id);
        const wanted = model.next(host, hidden(), now, true);
        const suggestion = dispatch.next(capability, id);
        expect(suggestion?.jobId ?? null).toBe(wanted);
        if (suggestion) noteSuggestion(suggestion);
        else if (step.do === 'wait' && !waiting.has(id)) {
          const mine = waiting;
          mine.add(id);
          const answer = (given: Suggestion) => {
            // What falls to a host that waits is its to do, and was nobody else's.
            mine.delete(id);
            expect(model.next(host, hidden(), now, true)).toBe(given.jobId);
            noteSuggestion(given);
          };
          dispatch.wait({ hostId: id, slots: Number.POSITIVE_INFINITY, capability, answer });
        }
        break;
      }
      case 'drop': {
        const jobId = `j${step.job}`;
        hidden();
        const token = suggested.get(jobId)?.token;
        if (suggested.delete(jobId)) model.settle(jobId);
        dispatch.drop({ jobId, token: token ?? 'one of long ago' });
        break;
      }
      case 'started':
      case 'settle': {
        const jobId = `j${step.job}`;
        suggested.delete(jobId);
        if (step.do === 'started') model.start(jobId);
        else model.settle(jobId);
        dispatch[step.do](jobId);
        break;
      }
      case 'pass':
        if (now + step.ms > LONGEST_MS) return;
        for (const end = now + step.ms; now < end; ) {
          now = Math.min(end, Math.max(now + 1, wakeAt ?? end));
          if (wakeAt === null || now < wakeAt) continue;
          wakeAt = null;
          dispatch.look();
        }
        break;
      case 'forget':
        suggested.clear();
        seen.clear();
        waiting = new Set();
        wakeAt = null;
        dispatch = create();
        break;
    }
    expect(dispatch.size()).toBe(model.size());
    // Nobody waits while there is something for them, but a job that avoided them until now: their next poll finds it.
    for (const host of HOSTS) {
      if (!waiting.has(host.id)) continue;
      const missed = model.next(host, hidden(), now, false);
      if (missed !== null) expect(model.avoids(missed)).toBe(host.id);
    }
  }
}

it('hands a job to a host that had no slot, once the suggestion that held it came to nothing', () => {
  let now = 0;
  let wakeAt: number | null = null;
  const wake = (ms: number) => {
    wakeAt = now + ms;
  };
  const dispatch = createDispatch({ storage: createQueueStorage(), now: () => now, newToken: () => 't', wake });
  const given: string[] = [];
  const capability: Capability = { maxResolution: 1080, maxFps: 30 };
  const answer = ({ jobId }: Suggestion) => void given.push(jobId);
  for (let poll = 0; poll < 3; poll++) dispatch.wait({ hostId: 'h', slots: 1, capability, answer });
  const work = { accountId: 'a', tier: 'metered', resolution: 1080, fps: 30, slots: null } as const;
  dispatch.offer({ jobId: 'j1', ...work });
  dispatch.offer({ jobId: 'j2', ...work });
  expect(given).toEqual(['j1']);
  for (const looks of [1, 2]) {
    expect(wakeAt).toBe(looks * SUGGESTED_FOR_MS);
    now = looks * SUGGESTED_FOR_MS;
    dispatch.look();
  }
  expect(given).toEqual(['j1', 'j1', 'j1']);
});

it(`suggests what a look at every job would, through ${RUNS} runs`, { timeout: 10 * 60_000 }, () => {
  const steps = fc.array(step, { maxLength: 80, size: 'max' });
  fc.assert(fc.property(steps, run), { numRuns: RUNS, seed: SEED });
});
