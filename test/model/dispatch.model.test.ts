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
/** Of each kind one host has kept nothing, and one some demos. */
const KEPT = [['k1'], ['k2'], ['k1', 'k2'], ['k3']];
const HOSTS = KINDS.flatMap((capability, kind) => [
  { id: `h${kind}0`, capability, demoKeys: [] as string[] },
  { id: `h${kind}1`, capability, demoKeys: KEPT[kind] ?? [] },
]);
/** How far behind the next job one is looked for whose demo the host has, and how often a job is passed over. */
const LOOK_FOR_DEMO = 8;
const MOST_PASSED = 4;

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
  demoKey: fc.constantFrom(undefined, 'k1', 'k2', 'k3'),
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
  passed: number;
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
      enter({ offer, avoidUntil: now + AVOID_MS, passed: 0 }, isCovered ? 0 : 1);
    },
    /** The next job of a host; the clock of its lane moves on only when the job is `taken`. */
    next(host: (typeof HOSTS)[number], suggested: ReadonlySet<string>, now: number, isTaken: boolean): string | null {
      const { id: hostId, capability, demoKeys } = host;
      const inOrder = (a: Queued, b: Queued) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq;
      const mayHave = ({ offer, avoidUntil }: Queued) =>
        !suggested.has(offer.jobId) && (offer.avoidHost !== hostId || avoidUntil <= now || !hasOther(offer, hostId));
      const isKept = ({ offer: { demoKey } }: Queued) => demoKey !== undefined && demoKeys.includes(demoKey);
      const [first] = queued
        .filter((entry) => mayHave(entry) && canDo(capability, needOf(entry.offer)))
        .toSorted(inOrder);
      if (!first) return null;
      const need = JSON.stringify(needOf(first.offer));
      const found = queued
        .filter((entry) => entry.lane === first.lane && JSON.stringify(needOf(entry.offer)) === need)
        .toSorted(inOrder)
        .filter((entry) => inOrder(entry, first) > 0)
        .slice(0, LOOK_FOR_DEMO)
        .find((entry) => entry.offer.accountId === first.offer.accountId && isKept(entry) && mayHave(entry));
      const isPassed = found !== undefined && !isKept(first) && first.passed < MOST_PASSED;
      if (isPassed && isTaken) {
        // They change places: whose turn it is stays the same.
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
        const { id, capability, demoKeys } = host;
        seen.add(id);
        const wanted = model.next(host, hidden(), now, true);
        const suggestion = dispatch.next(capability, id, demoKeys);
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
          dispatch.wait({ hostId: id, slots: Number.POSITIVE_INFINITY, capability, demoKeys, answer });
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

const work = { tier: 'metered', resolution: 1080, fps: 30, slots: null } as const;
const everything: Capability = { maxResolution: 1440, maxFps: 120 };

/** In which order jobs are handed to one host that has the demos of some. */
function orderFor(demoKeys: readonly string[], offers: readonly Offer[]): string[] {
  let tokens = 0;
  const storage = createQueueStorage();
  const dispatch = createDispatch({ storage, now: () => 0, newToken: () => String(tokens++), wake: () => {} });
  for (const offer of offers) dispatch.offer(offer);
  const order: string[] = [];
  for (let next = dispatch.next(everything, 'h', demoKeys); next; next = dispatch.next(everything, 'h', demoKeys)) {
    order.push(next.jobId);
    dispatch.started(next.jobId, 'h');
  }
  return order;
}

it('hands the jobs of a demo to the host that has it, as far as they are its account’s next', () => {
  const job = (jobId: string, demoKey: string) => ({ jobId, accountId: jobId.charAt(0), demoKey, ...work });
  const offers = [job('a1', 'k1'), job('a2', 'k2'), job('a3', 'k1'), job('a4', 'k2'), job('b1', 'k2'), job('b2', 'k1')];
  expect(orderFor([], offers)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  expect(orderFor(['k1'], offers)).toEqual(['a1', 'b2', 'a3', 'b1', 'a2', 'a4']);
});

it('lets no job wait for ever for others whose demo a host has', () => {
  const offers = Array.from({ length: 20 }, (_, i) => {
    return { jobId: `a${i}`, accountId: 'a', demoKey: i === 0 ? 'other' : 'k', ...work };
  });
  expect(orderFor(['k'], offers).indexOf('a0')).toBe(MOST_PASSED);
});

it(`leaves whose turn it is as it was, whatever hosts keep, through ${RUNS} runs`, { timeout: 10 * 60_000 }, () => {
  const offers = fc.uniqueArray(offer, { selector: ({ jobId }) => jobId, maxLength: JOBS });
  const keys = fc.subarray(['k1', 'k2', 'k3']);
  const accounts = (order: readonly string[], all: readonly Offer[]) =>
    order.map((jobId) => all.find((one) => one.jobId === jobId)?.accountId);
  fc.assert(
    fc.property(offers, keys, (all, demoKeys) => {
      // One host that can do everything: nothing is beyond it, and nothing avoids it.
      const able = all.map((one) => ({ ...one, renderer: null, refusedBuilds: [], avoidHost: null }));
      expect(accounts(orderFor(demoKeys, able), able)).toEqual(accounts(orderFor([], able), able));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

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
  dispatch.offer({ jobId: 'j1', accountId: 'a', ...work });
  dispatch.offer({ jobId: 'j2', accountId: 'a', ...work });
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
