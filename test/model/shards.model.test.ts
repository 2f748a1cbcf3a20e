import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Job, leaseOf } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import type { Capability } from '#domain/need.ts';
import { knownTo } from '#domain/outbox.ts';
import { DEFAULT_SCHEDULE, reofferWait } from '#domain/schedule.ts';
import { createDispatch } from '#durable-objects/dispatcher/dispatch.ts';
import { ROUND_MS } from '#durable-objects/dispatcher/neighbours.ts';
import { syncSuspensions } from '#durable-objects/dispatcher/sync-suspensions.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { clipWork } from '../core/domain/builders.ts';
import { createRandom } from '../soak/random.ts';
import { createQueueStorage } from '../support/queue-storage.ts';
import { createAgenda } from './agenda.ts';
import { createShards } from './shards.ts';

/**
 * Simulates several dispatchers and hosts with two slots each, with lost calls and evictions at any time. A few lines
 * replace the machine of a job and its outbox; everything else is the deployed code.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 50) / 10;
const SEED = Number(process.env.MODEL_SEED);
const RENDER_MS = 20_000;
const CALL_MS = 20;
const SLOTS = 2;
const KINDS: Capability[] = [
  { maxResolution: 1080, maxFps: 60, renderer: 'radar', gameBuild: null },
  { maxResolution: 1440, maxFps: 120, renderer: 'cs2', gameBuild: '1' },
];
const FILE = { key: 'clips/a/1/video.mp4', bytes: 1, sha256: '' };
const RESULT = { title: 'A clip', durationSeconds: 1, video: FILE, thumbnail: FILE };

interface Trouble {
  readonly callsLost: number;
  /** When a dispatcher is evicted. */
  readonly restarts: readonly number[];
}

function run(shardCount: number, seed: number, jobCount: number, { callsLost, restarts }: Trouble) {
  const random = createRandom(seed);
  const agenda = createAgenda();
  const callMs = () => 1 + random() * (CALL_MS - 1);
  const shards = createShards({ shards: shardCount, agenda, random, callMs, callsLost });
  const jobs = new Map<string, Job>();
  const placed = new Map<string, number>();
  const working = new Map<string, number>();
  const waits: number[] = [];
  let done = 0;
  let mostAtOnce = 0;

  function apply(jobId: string, event: JobEvent): boolean {
    const job = jobs.get(jobId) ?? null;
    const result = transition(job, event, { now: agenda.now(), schedule: DEFAULT_SCHEDULE, jitter: 0.5 });
    if (!result.ok) return false;
    jobs.set(jobId, result.job);
    for (const effect of result.effects) {
      if (effect.type === 'offer') agenda.in(callMs(), () => offer(jobId, 0, knownTo(effect)));
      if (effect.type === 'started')
        agenda.in(callMs(), () => shards.started(jobId, leaseOf(result.job)?.hostId, effect));
      if (effect.type === 'settle') agenda.in(callMs(), () => shards.settle(jobId, effect));
    }
    return true;
  }

  function offer(jobId: string, offers: number, known: readonly number[]): void {
    const job = jobs.get(jobId) as Job;
    if (job.status !== 'pending' || (offers > 0 && placed.get(jobId) !== known[0])) return;
    const shard = shards.offer(job, known, DEFAULT_SCHEDULE.avoidFor);
    placed.set(jobId, shard);
    agenda.in(reofferWait(DEFAULT_SCHEDULE, offers), () => offer(jobId, offers + 1, [shard]));
  }

  function poll(hostId: string, capability: Capability): void {
    let isHeld = true;
    const held = shards.ask({
      hostId,
      slots: SLOTS,
      capability,
      answer: (given) => {
        isHeld = false;
        agenda.in(callMs(), () => claim(hostId, capability, given));
      },
    });
    agenda.in(22_500, () => {
      if (!isHeld) return;
      shards.stop(held);
      poll(hostId, capability);
    });
  }

  function claim(hostId: string, capability: Capability, suggestion: Suggestion): void {
    const { jobId } = suggestion;
    const again = () => agenda.in(callMs(), () => poll(hostId, capability));
    if (!apply(jobId, { type: 'claim', hostId, shards: shards.leaseShards(shards.shardOf(hostId), suggestion) })) {
      shards.drop(shards.shardOf(hostId), suggestion);
      again();
      return;
    }
    const { fence, priority, createdAt } = jobs.get(jobId) as Job;
    agenda.in(DEFAULT_SCHEDULE.confirmWithin, () => apply(jobId, { type: 'lease-expired' }));
    if (random() < callsLost) {
      again();
      return;
    }
    agenda.in(callMs(), () => {
      apply(jobId, { type: 'heartbeat', fence, phase: 'render' });
      if (priority) waits.push(agenda.now() - createdAt);
      working.set(hostId, (working.get(hostId) ?? 0) + 1);
      mostAtOnce = Math.max(mostAtOnce, working.get(hostId) ?? 0);
      agenda.in(RENDER_MS, () => {
        working.set(hostId, (working.get(hostId) ?? 0) - 1);
        expect(apply(jobId, { type: 'complete', fence, result: RESULT })).toBe(true);
        done++;
        again();
      });
    });
  }

  const hosts = Array.from({ length: 12 }, (_, n) => ({ id: `h${n}`, capability: KINDS[n % 2] as Capability }));
  for (const { id, capability } of hosts) agenda.in(random() * 1000, () => poll(id, capability));
  for (let n = 0; n < jobCount; n++) {
    const id = `j${n}`;
    agenda.in(random() * jobCount * 800, () => {
      const resolution = random() < 0.8 ? 1080 : 1440;
      const admission = {
        priority: random() < 0.03,
        webhook: null,
        work: clipWork({ fps: 60, resolution }),
        renderer: null,
        fallback: undefined,
        labels: [],
        acceptable: true,
      };
      const identity = { id, accountId: `a${Math.floor(random() * 5)}`, clipId: id };
      apply(id, { type: 'submit', identity, admission });
    });
  }
  for (const at of restarts) {
    agenda.in(at * jobCount * 800, () => shards.restart(Math.floor(random() * shardCount)));
  }
  agenda.runUntil(() => done === jobCount || agenda.now() > 24 * 3_600_000);
  agenda.runUntil(() => agenda.now() > 48 * 3_600_000 || shards.left() === 0);
  return { ...shards.seen, done, mostAtOnce, left: shards.left(), longest: Math.max(0, ...waits) };
}

const CALM: Trouble = { callsLost: 0, restarts: [] };

it.each([1, 2, 16])(
  '%s dispatchers do each job once, covered ones first, and none waits long',
  { timeout: 60_000 },
  (of) => {
    for (const seed of [1, 2]) {
      const report = run(of, seed, 100, CALM);
      expect(report).toMatchObject({ done: 100, left: 0, inversions: 0, suggestedTwice: 0 });
      // It waits for the next host with a free slot, and until that host's dispatcher has asked.
      expect(report.longest).toBeLessThan(ROUND_MS + RENDER_MS + 2 * 16 * CALL_MS);
      expect(report.mostAtOnce).toBeLessThanOrEqual(SLOTS);
      if (of === 1) expect([report.asked, report.lent]).toEqual([0, 0]);
      else expect(report.lent).toBeGreaterThan(0);
    }
  },
);

it('dispatchers lose no job and keep no finished one, whichever calls fail and whichever dispatcher is evicted', {
  timeout: 300_000,
}, () => {
  const trouble = fc.record({
    shards: fc.constantFrom(1, 2, 3, 16),
    seed: fc.nat({ max: 2 ** 31 - 1 }),
    callsLost: fc.constantFrom(0, 0.05, 0.3),
    restarts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(trouble, ({ shards, seed, ...rest }) => {
      expect(run(shards, seed, 60, rest)).toMatchObject({ done: 60, left: 0, inversions: 0 });
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

it('a new dispatcher waits briefly for the suspended accounts of the first, and applies a late answer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const storage = createQueueStorage();
  const dispatch = createDispatch({ storage, now: () => Date.now(), newToken: () => 't', wake: () => {} });
  const next = () => dispatch.next({ maxResolution: 1080, maxFps: 60 }, 'h')?.jobId;
  for (const accountId of ['resumed', 'suspended', 'back']) {
    dispatch.offer({ jobId: `of ${accountId}`, accountId, tier: 'metered', resolution: 1080, fps: 30, slots: null });
  }
  dispatch.suspend('back', true);
  const told = new Set<string>();
  const blocked: Promise<unknown>[] = [];
  const blockConcurrencyWhile = <T>(work: () => Promise<T>) => {
    const over = work();
    blocked.push(over);
    return over;
  };
  const late = Promise.withResolvers<readonly string[]>();
  const suspended = vi.fn(() => late.promise).mockRejectedValueOnce(new Error('its network'));

  syncSuspensions({ blockConcurrencyWhile }, () => ({ suspended }), dispatch, told);
  await blocked[0];
  // It will ask again, and has no other timer that would keep it in memory.
  expect(vi.getTimerCount()).toBe(1);
  // The second call hangs, and nothing waits for it.
  await vi.advanceTimersByTimeAsync(5000);
  expect([suspended.mock.calls.length, blocked.length]).toEqual([2, 1]);
  told.add('resumed');
  late.resolve(['suspended', 'resumed']);
  await late.promise;
  expect([next(), next(), next()]).toEqual(['of resumed', 'of back', undefined]);

  const hangs = new Promise<readonly string[]>(() => {});
  syncSuspensions({ blockConcurrencyWhile }, () => ({ suspended: () => hangs }), dispatch, told);
  await vi.advanceTimersByTimeAsync(2000);
  await blocked[1];
});
