import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Offer } from '#domain/host/fair-queue.ts';
import type { Capability, Need } from '#domain/host/need.ts';
import { waitOf } from '#domain/host/wait.ts';
import { createDispatch, type Dispatch } from '#durable-objects/dispatcher/dispatch.ts';
import { ANYBODY, createHostBook } from '#durable-objects/dispatcher/host-book.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createQueueStorage } from '../support/queue-storage.ts';
import { runFleet } from './fleet.ts';
import { AVOID_MS, createModel, HOSTS, MOST_PASSED, type ModelHost } from './queue-model.ts';

/**
 * Compares the dispatcher with a model that checks every job each time. Both must suggest the same job to the same
 * host, whatever was suggested before, failed, was lost in an eviction, or cannot be done by a host.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 25);
const SEED = Number(process.env.MODEL_SEED);
const SUGGESTED_FOR_MS = 10_000;
const CALLS_AT_ONCE = 4;
/** Hosts that polled are remembered for longer. */
const LONGEST_MS = 590_000;
/** A host that has not polled for so long is gone. */
const LEASE_MS = 60_000;
const GONE_MS = 150_000;
/** Replaced by the need of the queue. */
const NO_NEED: Need = { resolution: 0, fps: 0, renderer: null, refusedBuilds: [] };

type Step =
  | { readonly do: 'offer'; readonly offer: Offer }
  | { readonly do: 'next' | 'wait'; readonly host: number }
  | { readonly do: 'register'; readonly host: number; readonly slots: number }
  | { readonly do: 'started' | 'settle' | 'drop'; readonly job: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'suspend' | 'resume'; readonly accountId: string }
  | { readonly do: 'forget' };

const JOBS = 12;
const job = fc.integer({ min: 0, max: JOBS - 1 });
const host = fc.integer({ min: 0, max: HOSTS.length - 1 });
const account = fc.constantFrom('a', 'b', 'c');
const offer = fc.record({
  jobId: job.map((n) => `j${n}`),
  accountId: account,
  tier: fc.constantFrom('metered' as const, 'reserved' as const),
  resolution: fc.constantFrom(1080, 1440),
  fps: fc.constantFrom(24, 30, 60, 61, 120),
  slots: fc.constantFrom(null, 0, 1, 2),
  renderer: fc.constantFrom(null, null, 'cs2' as const),
  refusedBuilds: fc.constantFrom([], [], ['1']),
  labels: fc.constantFrom(undefined, [], ['eu']),
  isShort: fc.constantFrom(false, false, true),
  skills: fc.constantFrom<Offer['skills']>(undefined, [], ['inspect']),
  avoidHost: fc.constantFrom(null, null, ...HOSTS.map(({ id }) => id)),
  avoidMs: fc.constant(AVOID_MS),
  demoKey: fc.constantFrom(undefined, 'k1', 'k2', 'k3'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('offer' as const), offer }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('next' as const, 'wait' as const), host }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('register' as const), host, slots: fc.constantFrom(0, 1, 2, 9) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('started' as const, 'settle' as const, 'drop' as const), job }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 25_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('suspend' as const, 'resume' as const), accountId: account }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
);

function run(steps: readonly Step[], share: number): void {
  let now = 0;
  let wakes: number[] = [];
  let tokens = 0;
  const storage = createQueueStorage();
  const create = () =>
    createDispatch({
      storage,
      now: () => now,
      newToken: () => String(tokens++),
      wake: (ms) => void wakes.push(now + ms),
      share,
    });
  const createBook = () => createHostBook(storage, () => now, LEASE_MS);
  let dispatch = create();
  let book = createBook();
  /** When each host polled, without push hosts: a host is either. */
  const polled = new Map<string, number>();
  const pushed = new Set<string>();
  const seen = new Set<string>();
  const model = createModel(seen, share);
  const suggested = new Map<string, { readonly token: string; readonly until: number; readonly hostId: string }>();
  /** The push hosts, with the number of jobs that each may have. They survive an eviction. */
  const pushHosts = new Map<string, number>();
  /** Jobs that hosts work on. */
  const leases = new Map<string, string>();
  let waiting = new Set<string>();
  const hidden = () => {
    for (const [jobId, { until }] of suggested) if (until <= now) suggested.delete(jobId);
    return new Set(suggested.keys());
  };
  const noteSuggestion = ({ jobId, token }: Suggestion, hostId: string) =>
    suggested.set(jobId, { token, until: now + SUGGESTED_FOR_MS, hostId });
  const coming = (hostId: string) => {
    hidden();
    return [...suggested.values()].filter((suggestion) => suggestion.hostId === hostId).length;
  };
  /** Whether a push host may be sent one more job, within its slots and the calls at a time. */
  const maySend = (hostId: string, slots: number) => {
    const busy = coming(hostId) + [...leases.values()].filter((id) => id === hostId).length;
    return busy < slots && coming(hostId) < CALLS_AT_ONCE;
  };
  const register = (host: ModelHost, slots: number) => {
    const { id: hostId, capability } = host;
    const answer = (given: Suggestion) => {
      expect(maySend(hostId, slots)).toBe(true);
      // The request does not name the demos of the host.
      expect(model.next({ ...host, demoKeys: [] }, hidden(), now, true)).toBe(given.jobId);
      noteSuggestion(given, hostId);
    };
    seen.add(hostId);
    pushed.add(hostId);
    book.notePushHost({ hostId, capability, policy: ANYBODY, slots, rest: null });
    pushHosts.set(hostId, slots);
    dispatch.registerPushHost({ hostId, slots, capability, answer });
  };

  /** Returns the queued jobs whose reason says that no host will take them now. */
  const blocked = (): Set<string> => {
    const ids = Array.from({ length: JOBS }, (_, n) => `j${n}`);
    const fleet = book.fleet(dispatch.loads(), waiting);
    const waits = dispatch
      .findJobs(ids, false)
      .map((job) => job && waitOf({ need: NO_NEED, queued: job }, fleet, now, false));
    return new Set(ids.filter((_, i) => !['offered', 'in_turn', undefined].includes(waits[i]?.reason)));
  };
  /** Whether a host may have one more job, without a change that the queue has not seen. */
  const isFree = ({ id }: ModelHost) =>
    !pushed.has(id) && now - (polled.get(id) ?? -GONE_MS) < GONE_MS && (waiting.has(id) || !dispatch.loads().has(id));

  for (const step of steps) {
    switch (step.do) {
      case 'offer':
        suggested.delete(step.offer.jobId);
        if (!model.has(step.offer.jobId)) leases.delete(step.offer.jobId);
        model.add(step.offer, now);
        dispatch.offer(step.offer);
        break;
      case 'next':
      case 'wait': {
        const host = HOSTS[step.host] as ModelHost;
        const { id, capability, demoKeys } = host;
        seen.add(id);
        const kept = isFree(host) ? blocked() : new Set();
        polled.set(id, now);
        if (!pushed.has(id)) book.asked({ hostId: id, capability, policy: ANYBODY });
        const wanted = model.next(host, hidden(), now, true);
        const suggestion = dispatch.next(capability, id, demoKeys);
        expect(suggestion?.jobId ?? null).toBe(wanted);
        expect(kept.has(suggestion?.jobId)).toBe(false);
        if (suggestion) noteSuggestion(suggestion, id);
        else if (step.do === 'wait' && !waiting.has(id)) {
          const mine = waiting;
          mine.add(id);
          const answer = (given: Suggestion) => {
            // A job for a waiting host was for no other host.
            mine.delete(id);
            expect(model.next(host, hidden(), now, true)).toBe(given.jobId);
            noteSuggestion(given, id);
          };
          dispatch.wait({ hostId: id, slots: Number.POSITIVE_INFINITY, capability, demoKeys, answer });
        }
        break;
      }
      case 'register': {
        const host = HOSTS[step.host] as ModelHost;
        if (step.slots > 0) register(host, step.slots);
        else {
          pushHosts.delete(host.id);
          pushed.add(host.id);
          book.forgetPushHost(host.id);
          dispatch.unregisterPushHost(host.id);
        }
        dispatch.look();
        break;
      }
      case 'drop': {
        const jobId = `j${step.job}`;
        hidden();
        const token = suggested.get(jobId)?.token;
        if (suggested.delete(jobId)) {
          model.settle(jobId);
          leases.delete(jobId);
        }
        dispatch.drop({ jobId, token: token ?? 'one of long ago' });
        break;
      }
      case 'started':
      case 'settle': {
        const jobId = `j${step.job}`;
        // A host may start a job whose suggestion is lost.
        const hostId = suggested.get(jobId)?.hostId ?? HOSTS[step.job % HOSTS.length]?.id ?? '';
        suggested.delete(jobId);
        if (step.do === 'started') {
          model.start(jobId);
          leases.set(jobId, hostId);
          dispatch.started(jobId, hostId);
        } else {
          model.settle(jobId);
          leases.delete(jobId);
          dispatch.settle(jobId);
        }
        break;
      }
      case 'pass':
        if (now + step.ms > LONGEST_MS) return;
        for (const end = now + step.ms; now < end; ) {
          now = Math.min(end, Math.max(now + 1, Math.min(end, ...wakes)));
          const due = wakes.filter((at) => at <= now);
          wakes = wakes.filter((at) => at > now);
          for (const _ of due) dispatch.look();
        }
        break;
      case 'suspend':
      case 'resume':
        model[step.do](step.accountId);
        dispatch.suspend(step.accountId, step.do === 'suspend');
        break;
      case 'forget':
        suggested.clear();
        seen.clear();
        model.forget();
        waiting = new Set();
        wakes = [];
        dispatch = create();
        book = createBook();
        polled.clear();
        for (const host of HOSTS) {
          const slots = pushHosts.get(host.id);
          if (slots !== undefined) register(host, slots);
        }
        dispatch.look();
        break;
    }
    expect(waitingIn(dispatch)).toBe(model.size());
    // A job that a free host would get has no reason to wait.
    const kept = blocked();
    for (const host of HOSTS) {
      if (isFree(host)) expect(kept).not.toContain(model.next(host, hidden(), now, false));
    }
    // No host waits while a job is there for it, except a job that avoided the host until now: the next poll gets it.
    for (const host of HOSTS) {
      const isServed = waiting.has(host.id) || maySend(host.id, pushHosts.get(host.id) ?? 0);
      if (!isServed) continue;
      const missed = model.next(host, hidden(), now, false);
      if (missed !== null) expect(model.avoids(missed)).toBe(host.id);
    }
  }
}

function waitingIn(dispatch: Dispatch): number {
  return dispatch.backlogs().reduce((sum, { waiting }) => sum + waiting, 0);
}

const work = { tier: 'metered', resolution: 1080, fps: 30, slots: null } as const;
const everything: Capability = { maxResolution: 1440, maxFps: 120 };

/** Returns the order in which jobs go to one host that has the demos of some. */
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

it('the host that has a demo gets its jobs, within the account’s next ones', () => {
  const job = (jobId: string, demoKey: string) => ({ jobId, accountId: jobId.charAt(0), demoKey, ...work });
  const offers = [job('a1', 'k1'), job('a2', 'k2'), job('a3', 'k1'), job('a4', 'k2'), job('b1', 'k2'), job('b2', 'k1')];
  expect(orderFor([], offers)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  expect(orderFor(['k1'], offers)).toEqual(['a1', 'b2', 'a3', 'b1', 'a2', 'a4']);
});

it('a job does not wait for ever for jobs whose demo a host has', () => {
  const offers = Array.from({ length: 20 }, (_, i) => {
    return { jobId: `a${i}`, accountId: 'a', demoKey: i === 0 ? 'other' : 'k', ...work };
  });
  expect(orderFor(['k'], offers).indexOf('a0')).toBe(MOST_PASSED);
});

it(`cached demos do not change the turns of accounts, through ${RUNS} runs`, { timeout: 10 * 60_000 }, () => {
  const offers = fc.uniqueArray(offer, { selector: ({ jobId }) => jobId, maxLength: JOBS });
  const keys = fc.subarray(['k1', 'k2', 'k3']);
  const accounts = (order: readonly string[], all: readonly Offer[]) =>
    order.map((jobId) => all.find((one) => one.jobId === jobId)?.accountId);
  fc.assert(
    fc.property(offers, keys, (all, demoKeys) => {
      // One host that can do everything, and that no job avoids.
      const able = all.map((one) => ({ ...one, renderer: null, refusedBuilds: [], avoidHost: null }));
      expect(accounts(orderFor(demoKeys, able), able)).toEqual(accounts(orderFor([], able), able));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

it('inspections get a quarter of the assigned jobs while clips wait', () => {
  const offers = Array.from({ length: 24 }, (_, i) => {
    return { jobId: i < 12 ? `clip ${i}` : `inspection ${i}`, accountId: 'a', ...work, isShort: i >= 12 };
  });
  const order = orderFor([], offers).slice(0, 16);
  const places = [...order.keys()].filter((at) => order[at]?.startsWith('inspection'));
  expect(places).toEqual([0, 7, 11, 15]);
});

it('a host gets a job once a failed suggestion frees its slot', () => {
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

const offered = (jobId: string, skills?: Offer['skills']): Step => ({
  do: 'offer',
  offer: { jobId, accountId: 'a', ...work, fps: 24, skills, avoidMs: AVOID_MS },
});
/** A run that failed once: a push host that also polls had a free slot, and got no job. */
const PUSH_AND_POLL: Step[] = [
  { do: 'register', host: 6, slots: 2 },
  offered('j10'),
  offered('j5'),
  { do: 'started', job: 10 },
  offered('j0'),
  { do: 'started', job: 5 },
  offered('j1'),
  { do: 'forget' },
  { do: 'next', host: 6 },
  { do: 'pass', ms: SUGGESTED_FOR_MS },
  { do: 'next', host: 0 },
  offered('j5', ['inspect']),
];

it(`the dispatcher suggests the same jobs as a search of all jobs, through ${RUNS} runs`, {
  timeout: 10 * 60_000,
}, () => {
  const steps = fc.array(step, { maxLength: 80, size: 'max' });
  const share = fc.constantFrom(0.5, 0.5, 0.2, 1);
  fc.assert(fc.property(steps, share, run), { numRuns: RUNS, seed: SEED, examples: [[PUSH_AND_POLL, 0.5]] });
});

it('a fleet renders every job once, whatever dies, and no host is idle while it could work', {
  timeout: 60_000,
}, () => {
  const report = runFleet({ hosts: 50, jobs: 1000, seed: 20_261_122, load: 0.95, killed: 0.3 });
  expect(report).toMatchObject({ done: 1000, lost: 0, twice: 0, inversions: 0, suggestedTwice: 0 });
  expect(report.notTaken).toBeGreaterThan(5);
  expect(report.leasesOfTheDead).toBeGreaterThan(5);
  expect(report.longestHeldMs).toBeLessThanOrEqual(61_000);
  expect(report.wasted).toBeLessThan(0.01);
});
