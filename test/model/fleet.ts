import type { Capability } from '#domain/host/need.ts';
import type { Effect, JobEvent } from '#domain/job/event.ts';
import { type Job, type Lease, leaseOf } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE, reofferWait } from '#domain/job/schedule.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { clipWork } from '../core/domain/builders.ts';
import { createRandom } from '../soak/random.ts';
import { createAgenda, createPushHost, createWatchedDispatch, type Host } from './simulation.ts';

/**
 * Simulates a fleet and its jobs under a virtual clock: the deployed dispatcher and job machine, a network with delays
 * and lost grants, and hosts that render, stop responding and return with another build. A third of them are push
 * hosts, which sometimes refuse, do not answer, or lose their answer.
 */
export interface FleetOptions {
  readonly hosts: number;
  readonly jobs: number;
  readonly seed: number;
  /** The mean number of jobs that wait for each host during a burst. */
  readonly load: number;
  /** The share of hosts that die at once, halfway through. */
  readonly killed: number;
}

export interface FleetReport {
  readonly done: number;
  readonly lost: number;
  readonly twice: number;
  /** Grants that push hosts were sent and did not take. */
  readonly notTaken: number;
  /** Leases of dead hosts, and the longest time from a death until the job was queued again. */
  readonly leasesOfTheDead: number;
  readonly longestHeldMs: number;
  /** The share of the time of all hosts that they were idle while a job waited that the host then took. */
  readonly wasted: number;
  /** Best-effort jobs that were suggested while covered work for the same host waited. */
  readonly inversions: number;
  readonly suggestedTwice: number;
}

const NETWORK_MS = [10, 60] as const;
const OBJECT_MS = [2, 12] as const;
const RENDER_MS = [15_000, 90_000] as const;
const HOLD_MS = [20_000, 25_000] as const;
const BEAT_MS = 20_000;
const GRANTS_LOST = 0.002;
const BACK_AFTER_MS = 120_000;
const ACCOUNTS = 50;

export function runFleet(options: FleetOptions): FleetReport {
  const { hosts: hostCount, jobs: jobCount, seed, load, killed } = options;
  const random = createRandom(seed);
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);
  const agenda = createAgenda();
  const dispatch = createWatchedDispatch(agenda);
  const jobs = new Map<string, Job>();
  const offeredAt = new Map<string, number>();
  const seen = { done: 0, twice: 0, notTaken: 0, leasesOfTheDead: 0, longestHeldMs: 0 };
  let wasted = 0;
  const diedHolding = new Map<string, number>();
  const finished = new Set<string>();

  function apply(jobId: string, event: JobEvent): boolean {
    const job = jobs.get(jobId) ?? null;
    const result = transition(job, event, { now: agenda.now(), schedule: DEFAULT_SCHEDULE, jitter: random() });
    if (!result.ok) return false;
    jobs.set(jobId, result.job);
    if (job && leaseOf(job) && !leaseOf(result.job)) noteTakenBack(jobId);
    carryOut(result.job, result.effects);
    if (result.job.status === 'retrying') agenda.in(result.job.retryAt - agenda.now(), () => retry(jobId));
    if (result.job.status === 'done') {
      if (finished.has(jobId)) seen.twice++;
      finished.add(jobId);
      seen.done++;
      jobs.delete(jobId);
      offeredAt.delete(jobId);
    }
    return true;
  }

  const retry = (jobId: string) => void apply(jobId, { type: 'retry-due' });

  function noteTakenBack(jobId: string): void {
    const since = diedHolding.get(jobId);
    if (since === undefined) return;
    diedHolding.delete(jobId);
    seen.longestHeldMs = Math.max(seen.longestHeldMs, agenda.now() - since);
  }

  function carryOut(job: Job, effects: readonly Effect[]): void {
    const { id } = job;
    const lease = leaseOf(job);
    for (const { type } of effects) {
      if (type === 'offer') agenda.in(between(OBJECT_MS), () => offer(id, 0));
      if (type === 'started' && lease) agenda.in(between(OBJECT_MS), () => dispatch.started(id, lease.hostId));
      if (type === 'settle') agenda.in(between(OBJECT_MS), () => dispatch.settle(id));
    }
  }

  /** Offers a job again and again while it waits, like its object. */
  function offer(jobId: string, offers: number): void {
    const job = jobs.get(jobId);
    if (job?.status !== 'pending') return;
    if (offers === 0) offeredAt.set(jobId, agenda.now());
    dispatch.offer(job, DEFAULT_SCHEDULE.avoidFor);
    agenda.in(reofferWait(DEFAULT_SCHEDULE, offers), () => offer(jobId, offers + 1));
  }

  function leaseAt(jobId: string): Lease | null {
    const job = jobs.get(jobId);
    return job ? leaseOf(job) : null;
  }

  function watchLease(jobId: string): void {
    const lease = leaseAt(jobId);
    if (!lease) return;
    agenda.in(Math.max(0, lease.deadline - agenda.now()), () => {
      const now = leaseAt(jobId);
      if (now?.fence !== lease.fence) return;
      if (now.deadline <= agenda.now()) apply(jobId, { type: 'lease-expired' });
      else watchLease(jobId);
    });
  }

  function poll(host: Host, life: number): void {
    // A push host does not poll.
    if (!host.isAlive || host.life !== life || host.isPushed) return;
    agenda.in(between(NETWORK_MS), () => {
      let isHeld = true;
      const held = dispatch.ask({
        hostId: host.id,
        slots: 32,
        capability: host.capability,
        answer: (given: Suggestion) => {
          isHeld = false;
          claim(host, life, given);
        },
      });
      agenda.in(between(HOLD_MS), () => {
        if (!isHeld) return;
        dispatch.stop(held);
        agenda.in(between(NETWORK_MS), () => poll(host, life));
      });
    });
  }

  function claim(host: Host, life: number, suggestion: Suggestion): void {
    const { jobId } = suggestion;
    agenda.in(between(OBJECT_MS), () => {
      if (!apply(jobId, { type: 'claim', hostId: host.id })) {
        dispatch.drop(suggestion);
        poll(host, life);
        return;
      }
      const fence = jobs.get(jobId)?.fence ?? 0;
      watchLease(jobId);
      if (random() < GRANTS_LOST) {
        agenda.in(1000, () => poll(host, life));
        return;
      }
      agenda.in(between(NETWORK_MS), () => begin(host, life, jobId, fence));
    });
  }

  function begin(host: Host, life: number, jobId: string, fence: number): void {
    if (!host.isAlive || host.life !== life) return;
    if (!apply(jobId, { type: 'heartbeat', fence, phase: 'render' })) {
      poll(host, life);
      return;
    }
    wasted += agenda.now() - Math.max(host.freeAt, offeredAt.get(jobId) ?? 0);
    const begun = agenda.now();
    const ends = begun + between(RENDER_MS);
    holding.set(host.id, jobId);
    const beat = () => {
      if (host.life !== life || holding.get(host.id) !== jobId) return;
      if (!apply(jobId, { type: 'heartbeat', fence, phase: 'render' })) {
        // The lease is lost, so the work is discarded.
        holding.delete(host.id);
        poll(host, life);
        return;
      }
      if (agenda.now() + BEAT_MS < ends) agenda.in(BEAT_MS, beat);
    };
    if (begun + BEAT_MS < ends) agenda.in(BEAT_MS, beat);
    agenda.in(ends - begun, () => {
      if (host.life !== life || holding.get(host.id) !== jobId) return;
      holding.delete(host.id);
      host.freeAt = agenda.now();
      apply(jobId, { type: 'complete', fence, result: RESULT });
      poll(host, life);
    });
  }

  const holding = new Map<string, string>();
  const kinds: Capability[] = [
    { maxResolution: 1080, maxFps: 60, renderer: 'radar', gameBuild: null },
    { maxResolution: 1440, maxFps: 120, renderer: 'cs2', gameBuild: '1' },
    { maxResolution: 1440, maxFps: 60, renderer: 'cs2', gameBuild: '1' },
  ];
  const hosts = Array.from({ length: hostCount }, (_, n): Host => {
    const capability = kinds[n % kinds.length] ?? (kinds[0] as Capability);
    return { id: `host-${n}`, isPushed: n % 9 < 3, capability, isAlive: true, freeAt: 0, life: 0 };
  });
  const job = (id: string) => jobs.get(id);
  const noteNotTaken = () => void seen.notTaken++;
  const world = { noteNotTaken, agenda, dispatch, random, between, job, apply, watchLease, begin };
  for (const host of hosts) {
    agenda.in(random() * 5000, () => (host.isPushed ? createPushHost(host, world).register() : poll(host, 0)));
  }

  // Bursts: a tenth of the jobs comes at once, the others at the fleet's pace.
  const meanRender = (RENDER_MS[0] + RENDER_MS[1]) / 2;
  const gap = meanRender / hostCount / load;
  let submitted = 0;
  const submit = () => {
    const burst = random() < 0.001 ? Math.min(jobCount / 10, hostCount * 2) : 1;
    for (let n = 0; n < burst && submitted < jobCount; n++) {
      const id = `job-${submitted++}`;
      const accountId = `account-${random() < 0.9 ? 0 : 1 + Math.floor(random() * (ACCOUNTS - 1))}`;
      const small = random() < 0.5;
      const admission = {
        priority: random() < 0.01,
        webhook: null,
        work: clipWork({ fps: small ? 30 : 60, resolution: random() < 0.8 ? 1080 : 1440 }),
        renderer: null,
        fallback: undefined,
        labels: [],
        acceptable: true,
      };
      apply(id, { type: 'submit', identity: { id, accountId, clipId: id }, admission });
    }
    if (submitted < jobCount) agenda.in(gap * (0.5 + random()), submit);
  };
  submit();

  const halfway = (jobCount * gap) / 2;
  agenda.in(halfway, () => {
    for (const host of hosts) {
      if (random() >= killed) continue;
      host.isAlive = false;
      host.life++;
      const held = holding.get(host.id);
      holding.delete(host.id);
      if (held !== undefined) {
        seen.leasesOfTheDead++;
        diedHolding.set(held, agenda.now());
      }
      agenda.in(BACK_AFTER_MS * (0.5 + random()), () => {
        const { gameBuild } = host.capability;
        // A push host is registered with its build.
        if (gameBuild !== null && !host.isPushed) host.capability = { ...host.capability, gameBuild: '2' };
        host.isAlive = true;
        host.freeAt = agenda.now();
        poll(host, host.life);
      });
    }
  });

  const isOver = () => submitted === jobCount && jobs.size === 0;
  agenda.runUntil(isOver);
  return {
    done: seen.done,
    lost: jobs.size,
    twice: seen.twice,
    notTaken: seen.notTaken,
    leasesOfTheDead: seen.leasesOfTheDead,
    longestHeldMs: seen.longestHeldMs,
    wasted: wasted / (hostCount * agenda.now()),
    inversions: dispatch.seen.inversions,
    suggestedTwice: dispatch.seen.suggestedTwice,
  };
}

const FILE = { key: 'clips/a/1/video.mp4', bytes: 1, sha256: '' };
const RESULT = { title: 'A clip', durationSeconds: 1, video: FILE, thumbnail: FILE };
