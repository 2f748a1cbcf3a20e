import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CODE_LIST, isRetryable } from '#domain/error-codes.ts';
import { fieldsOf, type Job, leaseOf } from '#domain/job.ts';
import type { JobEvent } from '#domain/job-event.ts';
import { transition } from '#domain/job-machine.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { TEST_ENDS, type TestEnd, testEndOf } from '#domain/test-end.ts';
import { testHostOf } from '#domain/test-job.ts';
import type { Work } from '#domain/work.ts';
import { HostInspection } from '#protocol/demos.ts';
import { at, newJob, submitted, T0 } from './builders.ts';

/** Returns the next event of a test job, and when it comes. */
function next(job: Job): { event: JobEvent; due: number } | null {
  const { lease, retryAt } = fieldsOf(job);
  if (lease) return { event: { type: 'lease-expired' }, due: lease.deadline };
  if (retryAt !== null) return { event: { type: 'retry-due' }, due: retryAt };
  return job.status === 'pending' ? { event: { type: 'claim', ...testHostOf(job) }, due: 0 } : null;
}

/** Plays a job to its end: returns it, its statuses, and how long it took. `late`: of each alarm. */
function play(job: Job, late: () => number = () => 0): { job: Job; statuses: string[]; ms: number; effects: string[] } {
  const statuses: string[] = [job.status];
  const effects: string[] = [];
  let now = T0;
  for (let state = job, steps = 0; ; steps++) {
    const coming = next(state);
    if (!coming) return { job: state, statuses, ms: now - T0, effects };
    if (steps > 100) throw new Error('it does not end');
    now = Math.max(now, coming.due) + late();
    const result = transition(state, coming.event, at(now));
    if (!result.ok) throw new Error(`${coming.event.type} was refused: ${result.refusal}`);
    state = result.job;
    effects.push(...result.effects.map(({ type }) => type));
    if (state.status !== statuses.at(-1)) statuses.push(state.status);
  }
}

const testJob = (testEnd: TestEnd, work?: Work) => newJob({ testEnd, acceptable: false, ...(work && { work }) });

describe('a test job', () => {
  it('goes through the states of a live one, within a second', () => {
    const { job, statuses, ms } = play(testJob('ok'));
    expect(statuses).toEqual(['pending', 'prefetch', 'render', 'done']);
    expect(ms).toBeLessThan(1000);
    expect(job).toMatchObject({ clip: { state: 'ready', title: expect.stringMatching(/^Test: \d kill/) } });
  });

  it.each(ERROR_CODE_LIST.filter((code) => code !== 'demo_url_rejected'))('ends with %s', (code) => {
    const { job, statuses, ms } = play(testJob(code));
    expect(fieldsOf(job)).toMatchObject({ status: 'error', errorCode: code, attempt: isRetryable(code) ? 6 : 1 });
    expect(statuses.filter((status) => status === 'retrying')).toHaveLength(isRetryable(code) ? 5 : 0);
    expect(statuses.includes('render')).toBe(/^(cs2|render|upload|finalize)_/.test(code));
    // The rest of the second is for the work between.
    expect(ms).toBeLessThan(400);
  });

  it('fails at once where a live one would: by its address, or its length', () => {
    expect(fieldsOf(testJob('demo_url_rejected'))).toMatchObject({ status: 'error', errorCode: 'demo_url_rejected' });
    const work = { kind: 'clip', fps: 60, resolution: 1080, frames: { asked: 100, most: 10 } } as const;
    expect(fieldsOf(testJob('ok', work))).toMatchObject({ status: 'error', errorCode: 'clip_too_long' });
  });

  it('is done after one retry, or slowly', () => {
    const { job, statuses } = play(testJob('retry-then-ok'));
    expect(job).toMatchObject({ status: 'done', attempt: 2 });
    expect(statuses).toContain('retrying');
    const slow = play(testJob('slow'));
    expect(slow.statuses).toEqual(['pending', 'prefetch', 'render', 'done']);
    expect(Math.round(slow.ms / 1000)).toBe(20);
  });

  it('that inspects a demo ends without a clip', () => {
    const { job } = play(testJob('ok', { kind: 'inspection' }));
    expect(job).toMatchObject({ status: 'done', clip: null });
  });

  it('ends also if its alarms are late, and uses the fences of a live one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TEST_ENDS),
        fc.infiniteStream(fc.integer({ min: 0, max: 120_000 })),
        (end, late) => {
          const { job, statuses } = play(testJob(end), () => late.next().value);
          expect(statuses).toEqual(play(testJob(end)).statuses);
          expect(['done', 'error']).toContain(job.status);
          expect(leaseOf(job)).toBeNull();
          expect(job.fence).toBe(job.attempt);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leaves the waits of live jobs as they are', () => {
    const claimed = transition(newJob(), { type: 'claim', hostId: 'host' }, at(T0));
    expect(claimed.ok && leaseOf(claimed.job)?.deadline).toBe(T0 + DEFAULT_SCHEDULE.confirmWithin);
    expect(submitted().job).not.toHaveProperty('testEnd');
  });
});

describe('the address of a test demo', () => {
  it.each([
    ['https://demo.test/ok.dem', 'ok'],
    ['http://demo.test/slow.dem', 'slow'],
    ['HTTPS://DEMO.TEST:8443/no_kills_found.dem?n=7#x', 'no_kills_found'],
    ['https://demo.test/no_such_code.dem', 'demo_404'],
    ['https://demo.test/ok.dem.gz', 'demo_404'],
    ['https://demo.test/sub/ok.dem', 'demo_404'],
    ['https://demo.test', 'demo_404'],
    ['https://demo.test/', 'demo_404'],
    ['https://demo.test?ok.dem', 'demo_404'],
    ['https://demo.test.example.com/no_kills_found.dem', 'ok'],
    ['https://example.com/demo.test/no_kills_found.dem', 'ok'],
    ['https://my-demo.test/no_kills_found.dem', 'ok'],
  ] as const)('%s ends with %s', (url, end) => expect(testEndOf(url)).toBe(end));

  it.each(TEST_ENDS)('%s is one, and docs/test-keys.md has it', (end) => {
    expect(testEndOf(`https://demo.test/${end}.dem`)).toBe(end);
    expect(readFileSync('docs/test-keys.md', 'utf8')).toContain(`\`/${end}.dem\``);
  });
});

it('the files of test jobs are those that the code announces', () => {
  const clip = JSON.parse(readFileSync('core/domain/test-clip.json', 'utf8'));
  const names = { video: 'video.mp4', thumbnail: 'thumbnail.jpg', storyboard: 'storyboard.jpg' };
  for (const [name, file] of Object.entries(names)) {
    const content = readFileSync(`src/static/test/${file}`);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(clip[name]).toMatchObject({ bytes: content.length, sha256 });
  }
  const found = HostInspection.parse(JSON.parse(readFileSync('src/static/test/demo.json', 'utf8')));
  expect(found.highlights.length).toBeGreaterThan(0);
});
