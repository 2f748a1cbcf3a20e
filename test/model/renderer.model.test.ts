import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACCOUNT_RENDERERS, type Capability, RENDERERS } from '#domain/host/need.ts';
import { rendererOf, withFallback } from '#domain/job/fallback.ts';
import { type Job, leaseOf } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { traitsOf } from '#domain/job/work.ts';
import { createDispatch } from '#durable-objects/dispatcher/dispatch.ts';
import { admission, completed } from '../core/domain/builders.ts';
import { createQueueStorage } from '../support/queue-storage.ts';

const MINUTE = 60_000;
const renderer = fc.constantFrom(undefined, ...RENDERERS);
type Order = typeof order extends fc.Arbitrary<infer Value> ? Value : never;
const order = fc.record({
  request: fc.record({ renderer, fallback: fc.constantFrom(undefined, 'radar' as const) }),
  account: fc.constantFrom(null, ...ACCOUNT_RENDERERS),
  usual: fc.constantFrom(...RENDERERS),
});
const host = fc.record({
  maxResolution: fc.constant(1440),
  maxFps: fc.constant(120),
  renderer,
  gameBuild: fc.constantFrom(null, '1', '2'),
});
const fail = fc.record({
  code: fc.constantFrom('demo_incompatible', 'cs2_unavailable', 'workshop_not_supported', 'demo_404'),
  crashedLoading: fc.constantFrom(undefined, { demo: 'a', has_recorded: true }),
  ownMatch: fc.boolean(),
});
const step = fc.record({
  host: fc.nat(4),
  end: fc.oneof(fc.constantFrom('complete' as const, 'release' as const), fail),
  minutes: fc.constantFrom(0, 1, 15),
  /** Before the step: submits finished jobs again; changes the account of a job. */
  isResubmitted: fc.boolean(),
  account: fc.constantFrom(undefined, undefined, undefined, 'cs2_only' as const),
});

/** Returns whether the radar may make the clip. */
function mayBeDrawn({ request, account, usual }: Order): boolean {
  if (account === 'cs2_only') return false;
  if (request.fallback === 'radar') return true;
  return [request.renderer, account, usual].find((said) => said != null) === 'radar';
}

it('a radar never gets a job whose renderer is cs2, without a fallback', () => {
  const seen = { drawn: 0, filmed: 0 };
  fc.assert(
    fc.property(
      fc.array(order, { minLength: 1, maxLength: 6 }),
      fc.array(host, { minLength: 5, maxLength: 5 }),
      fc.array(step, { maxLength: 60 }),
      (orders, hosts: readonly Capability[], steps) => {
        let now = 0;
        let token = 0;
        const newToken = () => String(token++);
        const dispatch = createDispatch({ storage: createQueueStorage(), now: () => now, newToken, wake: () => {} });
        const jobs = new Map<string, Job>();
        const apply = (id: string, event: Parameters<typeof transition>[1]): boolean => {
          const changed = transition(jobs.get(id) ?? null, event, { now, schedule: DEFAULT_SCHEDULE, jitter: 0.5 });
          if (!changed.ok) return false;
          jobs.set(id, changed.job);
          for (const { type } of changed.effects) if (type === 'settle') dispatch.settle(id);
          return true;
        };
        for (const [at, { request, account, usual }] of orders.entries()) {
          const id = `j${at}`;
          // Requests of a `cs2_only` account may not name the radar.
          const fallback = account !== 'cs2_only' && request.fallback ? 10 * MINUTE : null;
          const asked = withFallback(rendererOf(request, account, usual), fallback);
          apply(id, { type: 'submit', identity: { id, accountId: 'a', clipId: id }, admission: admission(asked) });
        }
        const accounts = orders.map(({ account }) => account);
        for (const [turn, { host: at, end, minutes, isResubmitted, account }] of steps.entries()) {
          now += minutes * MINUTE;
          if (account) accounts[turn % orders.length] = account;
          for (const [id, job] of jobs) {
            if (isResubmitted) apply(id, { type: 'resubmit', acceptable: true });
            apply(id, { type: 'retry-due' });
            apply(id, { type: 'no-host-left' });
            if (accounts[Number(id.slice(1))] === 'cs2_only') apply(id, { type: 'game-only' });
            const { picture } = traitsOf(job.work);
            const { accountId, renderer: needed, refusedBuilds, avoidHost, status } = jobs.get(id) ?? job;
            const need = { ...picture, renderer: needed, refusedBuilds, avoidHost, avoidMs: 0 };
            if (status === 'pending') dispatch.offer({ jobId: id, accountId, tier: 'metered', slots: null, ...need });
          }
          const capability = hosts[at] as Capability;
          const suggested = dispatch.next(capability, `h${at}`);
          if (!suggested) continue;
          const id = suggested.jobId;
          if (!apply(id, { type: 'claim', hostId: `h${at}`, renderer: capability.renderer })) continue;
          const order = orders[Number(id.slice(1))] as Order;
          if (capability.renderer !== 'cs2') {
            expect(mayBeDrawn({ ...order, account: accounts[Number(id.slice(1))] ?? null })).toBe(true);
            expect(capability.renderer).toBe('radar');
          }
          seen[capability.renderer === 'cs2' ? 'filmed' : 'drawn']++;
          const { fence } = leaseOf(jobs.get(id) as Job) as { fence: number };
          apply(id, { type: 'heartbeat', fence, phase: 'render' });
          const refusedBuild = capability.gameBuild ?? undefined;
          if (end === 'release') apply(id, { type: 'release', fence });
          else if (end === 'complete') apply(id, completed(fence));
          else apply(id, { type: 'fail', fence, detail: '', refusedBuild, ...end });
        }
      },
    ),
    { numRuns: Number(process.env.MODEL_RUNS ?? 60), seed: Number(process.env.MODEL_SEED) },
  );
  expect(Math.min(seen.drawn, seen.filmed)).toBeGreaterThan(50);
});
