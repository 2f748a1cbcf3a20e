import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CODE_LIST } from '../../domain/error-codes.ts';
import { isFinished, type Job } from '../../domain/job.ts';
import { type Effect, type JobEvent, transition } from '../../domain/job-machine.ts';
import { extendOutbox, type OutboxEntry, settleOutbox } from '../../domain/outbox.ts';
import { DEFAULT_SCHEDULE } from '../../domain/schedule.ts';
import { admission, at, newJob, resultFor, T0 } from './builders.ts';

const fence = fc.integer({ min: 0, max: 6 });
const event: fc.Arbitrary<JobEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<JobEvent>({ type: 'claim', hostId: 'host' }) },
  { weight: 4, arbitrary: fence.map((f): JobEvent => ({ type: 'complete', fence: f, result: resultFor(f) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fence, fc.constantFrom(...ERROR_CODE_LIST))
      .map(([f, code]): JobEvent => ({ type: 'fail', fence: f, code, detail: '' })),
  },
  fence.map((f): JobEvent => ({ type: 'render-started', fence: f })),
  fence.map((f): JobEvent => ({ type: 'release', fence: f })),
  fence.map((f): JobEvent => ({ type: 'lease-expired', fence: f })),
  fc.boolean().map((acceptable): JobEvent => ({ type: 'resubmit', acceptable })),
  fc.boolean().map((acceptable): JobEvent => ({ type: 'redo', admission: admission({ acceptable }) })),
  fc.constantFrom<JobEvent>({ type: 'retry-due' }, { type: 'save' }, { type: 'unsave' }, { type: 'delete-clip' }),
  fc.constant<JobEvent>({ type: 'expire-clip', renderedBefore: T0 + 10 ** 9 }),
);

/** What must hold of every job, whatever happened to it. */
function expectSound(job: Job): void {
  expect(job.lease !== null).toBe(job.status === 'prefetch' || job.status === 'render');
  expect(job.retryAt !== null).toBe(job.status === 'retrying');
  expect(job.finishedAt !== null).toBe(isFinished(job.status));
  expect(job.errorCode !== null).toBe(job.status === 'retrying' || job.status === 'error');
  expect(job.attempt).toBeGreaterThanOrEqual(0);
  expect(job.attempt).toBeLessThanOrEqual(DEFAULT_SCHEDULE.retryWaits.length + 1);
  if (job.lease) expect(job.lease.fence).toBe(job.fence);
  if (job.status === 'done') expect(job.clip).not.toBeNull();
}

const outside = (effects: readonly Effect[]) =>
  effects.filter((effect) => effect.type !== 'cancel-webhooks' && effect.type !== 'announce');

describe('any order of events', () => {
  it('keeps the job sound and announces every outcome exactly once', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let job = newJob();
        let now = T0;
        for (const next of events) {
          now += 3_600_000;
          const before = job;
          const result = transition(job, next, at(now));
          if (!result.ok) continue;
          job = result.job;
          expectSound(job);
          const changed = job !== before;
          expect(job.version).toBe(before.version + (changed ? 1 : 0));
          expect(job.fence).toBeGreaterThanOrEqual(before.fence);
          const announcements = result.effects.filter(({ type }) => type === 'announce').length;
          const hasNewOutcome = isFinished(job.status) && (job.run !== before.run || !isFinished(before.status));
          expect(announcements).toBe(hasNewOutcome ? 1 : 0);
          expect(result.effects.some(({ type }) => type === 'cancel-webhooks')).toBe(job.run !== before.run);
          expect(result.effects.some(({ type }) => type === 'project')).toBe(changed);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('never deletes the files that the clip has, and leaves none behind that nobody has', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let job = newJob();
        let now = T0;
        const written = new Set<number>();
        const deleted = new Set<number>();
        for (const next of events) {
          now += 3_600_000;
          const result = transition(job, next, at(now));
          if (!result.ok) continue;
          job = result.job;
          if (job.lease) written.add(job.lease.fence);
          for (const effect of result.effects) {
            if (effect.type === 'delete-files') deleted.add(Number(effect.prefix.split('/').at(-2)));
          }
        }
        const inUse = new Set<number>(job.lease ? [job.lease.fence] : []);
        if (job.clip?.state === 'ready') inUse.add(Number(job.clip.video.key.split('/').at(-2)));
        for (const used of inUse) expect(deleted.has(used)).toBe(false);
        for (const fenceNumber of written) expect(deleted.has(fenceNumber) || inUse.has(fenceNumber)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('holds an offer in the outbox exactly while the job is pending', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.boolean()), { maxLength: 60 }), (events) => {
        let job = newJob();
        let now = T0;
        let outbox: OutboxEntry[] = extendOutbox([], [{ type: 'project' }, { type: 'offer' }], job, now);
        for (const [next, works] of events) {
          now += 3_600_000;
          const result = transition(job, next, at(now));
          if (result.ok && result.job !== job) {
            job = result.job;
            outbox = extendOutbox(outbox, outside(result.effects), job, now);
          }
          const offers = outbox.filter((entry) => entry.effect.type === 'offer').length;
          expect(offers).toBe(job.status === 'pending' ? 1 : 0);
          expect(outbox.filter((entry) => entry.effect.type === 'project').length).toBeLessThanOrEqual(1);
          outbox = settleOutbox(outbox, new Map(outbox.map(({ id }) => [id, works])), DEFAULT_SCHEDULE, now);
        }
        expect(new Set(outbox.map(({ id }) => id)).size).toBe(outbox.length);
      }),
      { numRuns: 2000 },
    );
  });
});
