import { expect, it } from 'vitest';
import { transition } from '#domain/job-machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { admission, at, jobs, step, T0 } from './builders.ts';

const HOUR = 60 * 60_000;
const RESUBMIT = { type: 'resubmit', acceptable: false } as const;

it('counts runs after the first, for an hour from the first of them', () => {
  const second = step(jobs.error(), RESUBMIT, T0 + 1).job;
  const third = step(second, RESUBMIT, T0 + HOUR).job;
  expect([second.reruns, third.reruns]).toEqual([
    { since: T0 + 1, count: 1 },
    { since: T0 + 1, count: 2 },
  ]);
  const run = (event: Parameters<typeof transition>[1], time: number, job = third) =>
    transition(job, event, { ...at(time), schedule: { ...DEFAULT_SCHEDULE, rerunsAnHour: 2 } });
  const refused = { ok: false, refusal: 'too_many_reruns' };
  expect(run(RESUBMIT, T0 + HOUR)).toEqual(refused);
  expect(run(RESUBMIT, T0 + HOUR, second)).toMatchObject({ ok: true });
  expect(run({ type: 'redo', admission: admission() }, T0 + HOUR)).toEqual(refused);
  expect(run(RESUBMIT, T0 + HOUR + 1)).toMatchObject({ ok: true, job: { reruns: { since: T0 + HOUR + 1, count: 1 } } });
});

it('does not count a wait that is skipped', () => {
  expect(step(jobs.retrying(), RESUBMIT).job.reruns).toBeUndefined();
});
