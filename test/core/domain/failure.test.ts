import { describe, expect, it, test } from 'vitest';
import { tierOf } from '#domain/account/account.ts';
import { ASPECTS, aspectOf, sizeOf } from '#domain/clip/render-order.ts';
import { ERROR_CODE_LIST, type ErrorCode, mayPass } from '#domain/failure/codes.ts';
import { ERROR_HELP, explainFailure } from '#domain/failure/help.ts';
import { readableLog } from '#domain/job/attempt.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { fallbackAt, hasFallenBack, needsOfNewRun, rendererOf, withFallback } from '#domain/job/fallback.ts';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { assertExhaustive } from '#domain/lib/types.ts';
import { admission, at, CLAIM, completed, failedWith, newJob, step, steps, T0 } from './builders.ts';

describe('why a job failed', () => {
  it.each(ERROR_CODE_LIST)('%s is said in whole sentences, with what to do', (code) => {
    const { causes, todo } = ERROR_HELP[code];
    const explanation = explainFailure(code, null);
    expect(explanation).toContain(todo[0]);
    for (const sentence of [...causes, ...todo, explanation]) expect(sentence).toMatch(/^[A-Z].*[.`]$/);
  });

  it.each<[ErrorCode, Parameters<typeof explainFailure>[1], string]>([
    [
      'no_kills_found',
      { round_asked: 9, rounds: [1, 2, 5], rounds_in_demo: [1, 2, 3, 4, 5] },
      'The player has no kills in round 9: the demo has 5 rounds. They have some in rounds 1, 2 and 5: ask for one of these.',
    ],
    [
      'no_kills_found',
      { round_asked: 2, rounds: [1], rounds_in_demo: [1, 2] },
      'The player has no kills in round 2. They have some in round 1: ask for that.',
    ],
    [
      'no_kills_found',
      { round_asked: 7, rounds: [1], rounds_in_demo: [1] },
      'The player has no kills in round 7: the demo has 1 round. They have some in round 1: ask for that.',
    ],
    [
      'no_kills_found',
      { round_asked: 1, rounds: [7, 8, 9], rounds_in_demo: [4, 5, 9] },
      'The player has no kills in round 1: the demo has rounds 4, 5 and 9. They have some in rounds 7 to 9: ask for one of these.',
    ],
    ['no_kills_found', { round_asked: null, rounds: [] }, 'The player has no kills. They have none at all.'],
    ['demo_404', { http_status: 410 }, 'The server of the demo answered 410. Open the `demo_url` yourself'],
    ['demo_404', {}, 'The demo URL answered 404.'],
    ['download_error', { http_status: 403 }, 'The server of the demo answered 403. Check that the `demo_url` can'],
    ['demo_failed_parse', { received: 'text/html', bytes: 9 }, 'The server sent text/html instead of a demo'],
    ['demo_failed_parse', { received: 'application/octet-stream' }, 'The demo is incomplete or corrupted.'],
    [
      'decompress_failed',
      { found: 'tar', received: 'text/plain' },
      'The file is a .tar archive, which is not supported: send',
    ],
    ['demo_failed_parse', { found: 'html', received: null }, 'The file is an HTML page: the link may have expired'],
    ['demo_failed_parse', { found: 'html' }, 'The file is an HTML page.'],
    ['demo_failed_parse', { found: 'git_lfs' }, 'The file is a Git LFS pointer: send the demo itself.'],
    ['decompress_failed', { packed_with: 'LZMA' }, 'The demo is packed with LZMA, which is not supported'],
    ['decompress_failed', { found: 'a later word' }, 'The demo archive is truncated or corrupted.'],
    ['segment_not_in_demo', { start_tick: 9, end_tick: 99, first_tick: 0, last_tick: 5 }, 'from tick 9 to 99 is not'],
    [
      'clip_too_long',
      { unit: 'seconds', length: 900, most: 600 },
      'The clip would have 900 seconds, and 600 is the most.',
    ],
    ['pov_only', { recorded_by: '76561198000000002' }, 'Player 76561198000000002 recorded this demo'],
    ['player_not_in_demo', { player_asked: '1', players: ['2'] }, 'Player 1 did not play in this match.'],
    ['demo_incompatible', { game: 'citadel' }, 'This is a demo of Deadlock, not of Counter-Strike 2.'],
    ['demo_incompatible', { game: 'dota' }, 'This is a demo of Dota 2, not'],
    ['demo_incompatible', { game: 'CS:GO' }, 'This is a demo of CS:GO, not'],
    [
      'demo_incompatible',
      { demo_patch: 14160, game_build: '1.41.5.9' },
      "The game's build 1.41.5.9 cannot play this demo recorded by patch 14160. Submit it with",
    ],
    ['demo_incompatible', { demo_patch: null, game_build: '1.41.5.9' }, 'cannot play this demo. Submit it with'],
    ['demo_incompatible', {}, ERROR_HELP.demo_incompatible.todo[0]],
    ['workshop_not_supported', { map: 'workshop/1/de_x' }, 'on the workshop map workshop/1/de_x. Submit it with'],
    // Every set of facts has an explanation.
    ['no_kills_found', { rounds: 'none' }, 'The player has no kills. They have none at all.'],
    ['pov_only', {}, ERROR_HELP.pov_only.todo[0]],
    ['a_later_code' as ErrorCode, null, 'The job failed.'],
  ])('%s with %j', (code, facts, sentence) => {
    expect(explainFailure(code, facts)).toContain(sentence);
  });

  it('names parts of the demo that are not the match', () => {
    const facts = { other_parts: ['ticks 50 to 800, 3 rounds of Anna', 'ticks 900 to 990, 1 round of Anna'] };
    expect(explainFailure('no_kills_found', facts)).toMatch(
      / Not part of the match: ticks 50 to 800, 3 rounds of Anna; ticks 900 to 990, 1 round of Anna\. A `timeline` can /,
    );
  });
});

describe('a reason', () => {
  test.each([
    ['an error says', new Error('the disk is full'), 'the disk is full'],
    [
      'its cause says',
      new TypeError('fetch failed', { cause: new Error('certificate has expired') }),
      'certificate has expired',
    ],
    ['its code says', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [
      'the code of its cause says',
      new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
      'ECONNREFUSED',
    ],
    ['its name says, where it says nothing else', new RangeError(''), 'RangeError'],
    ['somebody threw that is no error', 'broken', 'broken'],
  ])('the reason is what %s', (_, thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });
});

describe('a log of a host', () => {
  it.each([
    [
      { level: 30, time: T0 + 1234, pid: 7, hostname: 'gpu', name: 'render-host', job: 'a', msg: 'hi' },
      '1.2 s info hi',
    ],
    [{ level: 50, time: T0, msg: 'gone', err: { code: 'EIO' } }, '0.0 s error gone {"err":{"code":"EIO"}}'],
    [{ level: 35, time: T0 - 300_000, msg: 'early' }, '-300.0 s 35 early'],
    [{ level: 40, msg: 'without a time' }, '{"level":40,"msg":"without a time"}'],
  ])('of a line of JSON %o', (line, text) => {
    expect(readableLog(JSON.stringify(line), T0)).toBe(text);
  });

  it('keeps other lines, and their order', () => {
    const first = JSON.stringify({ level: 40, time: T0 + 50, msg: 'first' });
    expect(readableLog(`${first}\nplain text\n{cut\n{cut}\n[1]\n`, T0)).toBe(
      '0.1 s warn first\nplain text\n{cut\n{cut}\n[1]\n',
    );
  });
});

describe('a fallback', () => {
  const WAIT = 600_000;
  const asked = withFallback('cs2', WAIT);
  const fails = (fence: number, code: ErrorCode, refusedBuild?: string): JobEvent => ({
    type: 'fail',
    fence,
    code,
    detail: 'because',
    refusedBuild,
  });
  const due = (job: Job) => step(job, { type: 'retry-due' }, fieldsOf(job).retryAt ?? 0).job;

  it.each([
    // request, account, deployment
    [{}, null, 'cs2', 'cs2'],
    [{}, null, 'radar', 'radar'],
    [{}, 'cs2', 'radar', 'cs2'],
    [{}, 'radar', 'cs2', 'radar'],
    [{ renderer: 'radar' }, 'cs2', 'cs2', 'radar'],
    [{ renderer: 'cs2' }, 'radar', 'radar', 'cs2'],
    [{ fallback: 'radar' }, null, 'radar', 'cs2'],
    [{ fallback: 'radar' }, 'radar', 'cs2', 'radar'],
    [{ fallback: 'radar', renderer: 'radar' }, null, 'cs2', 'radar'],
    [{}, 'cs2_only', 'radar', 'cs2'],
    [{ renderer: 'radar' }, 'cs2_only', 'radar', 'cs2'],
  ] as const)('of %o for an account of %s where %s is usual: the renderer is %s', (asked, account, usual, renderer) => {
    expect(rendererOf(asked, account, usual)).toBe(renderer);
  });

  it('applies to jobs of the game only', () => {
    expect(asked).toEqual({ renderer: 'cs2', fallback: { waitMs: WAIT, attempts: 0 } });
    expect(withFallback('cs2', null)).toEqual({ renderer: 'cs2', fallback: undefined });
    expect(withFallback('radar', WAIT)).toEqual({ renderer: 'radar', fallback: undefined });
  });

  describe('a failure in the game', () => {
    it.each([
      ['demo_incompatible', undefined],
      ['workshop_not_supported', undefined],
    ] as const)('%s is retried on the radar, with all retries and no outcome', (code, build) => {
      const { job, effects } = step(steps(newJob(asked), CLAIM), fails(1, code, build));
      expect(job).toMatchObject({ status: 'retrying', errorCode: code, renderer: 'radar', retryAt: T0 + 15_000 });
      expect(effects.map(({ type }) => type)).toEqual(['project', 'settle', 'delete-files']);
      const again = steps(due(job), CLAIM, fails(2, 'download_error'));
      expect(again).toMatchObject({ status: 'retrying', attempt: 2, retryAt: T0 + 15_000 });
    });

    it.each(['render_failed', 'demo_404', 'player_not_in_demo', 'clip_too_long'] as const)(
      '%s is final: the radar would fail as well',
      (code) => {
        expect(steps(newJob(asked), CLAIM, failedWith(1, code))).toMatchObject({ status: 'error', renderer: 'cs2' });
      },
    );

    it('is retried on another build first', () => {
      const refused = steps(newJob(asked), CLAIM, fails(1, 'demo_incompatible', '1'));
      expect(refused).toMatchObject({ status: 'retrying', renderer: 'cs2', refusedBuilds: ['1'] });
      for (const waiting of [refused, due(refused)]) {
        const { job, effects } = step(waiting, { type: 'no-host-left' });
        expect(job).toMatchObject({ status: 'pending', renderer: 'radar', fallback: { attempts: 1 } });
        expect(effects).toEqual([{ type: 'project' }, { type: 'offer' }]);
        expect(step(job, { type: 'no-host-left' }).job).toMatchObject({
          status: 'error',
          errorCode: 'demo_incompatible',
        });
      }
    });
  });

  describe('a wait for the game', () => {
    const refusal = { ok: false, refusal: 'not_waiting' };
    const noHost = (job: Job, now: number) => transition(job, { type: 'no-host-left' }, at(now));

    it('ends on the radar after its time', () => {
      expect(noHost(newJob(asked), T0 + WAIT - 1)).toEqual(refusal);
      expect(noHost(newJob(asked), T0 + WAIT)).toMatchObject({ job: { status: 'pending', renderer: 'radar' } });
      expect(noHost(newJob({ renderer: 'cs2' }), T0 + WAIT)).toEqual(refusal);
    });

    it('does not end while a host works, while a retry waits, or on the radar', () => {
      const retrying = steps(newJob(asked), CLAIM, failedWith(1, 'download_error'));
      const fallen = step(newJob(asked), { type: 'no-host-left' }, T0 + WAIT).job;
      for (const job of [steps(newJob(asked), CLAIM), retrying, fallen]) {
        expect(noHost(job, T0 + WAIT)).toEqual(refusal);
      }
    });
  });

  it('a job of the radar without a fallback has neither fallen back nor will it', () => {
    const drawn = { renderer: 'radar', fallback: undefined } as const;
    expect(hasFallenBack(drawn)).toBe(false);
    expect(needsOfNewRun(drawn)).toEqual(drawn);
    expect(fallbackAt({ ...asked, renderer: 'radar', queuedAt: T0 })).toBeNull();
    expect(fallbackAt({ ...asked, queuedAt: T0 })).toBe(T0 + WAIT);
  });

  it('each run tries the game again, and a redo takes the fallback of its request', () => {
    const fallen = due(steps(newJob(asked), CLAIM, fails(1, 'demo_incompatible')));
    const done = steps(fallen, { ...CLAIM, renderer: 'radar' }, completed(2));
    expect(done).toMatchObject({ status: 'done', clip: { renderer: 'radar' } });
    expect(hasFallenBack(done)).toBe(true);
    expect(steps(done, { type: 'resubmit', acceptable: true })).toMatchObject(asked);
    const redone = steps(done, { type: 'redo', admission: admission() });
    expect([redone.renderer, redone.fallback]).toEqual([null, undefined]);
  });
});

describe('the words of a job', () => {
  it('exactly the faults of hosts and of the network may pass in another run', () => {
    const passing = ['download_timeout', 'download_error', 'cs2_unavailable', 'render_failed', 'upload_error'];
    expect([null, 'of_later', ...ERROR_CODE_LIST].filter(mayPass)).toEqual([...passing, 'finalize_failed']);
  });

  it('the reserved key submits priority jobs', () => {
    expect([tierOf(true), tierOf(false)]).toEqual(['reserved', 'metered']);
  });

  it('a case that was forgotten is named', () => {
    expect(() => assertExhaustive({ type: 'new' } as never)).toThrow('unhandled case: {"type":"new"}');
  });

  it('a picture is 16 wide where it is 9 high', () => {
    expect([720, 1080, 1440].map((height) => sizeOf(height).width)).toEqual([1280, 1920, 2560]);
    const sizes = ASPECTS.flatMap((aspect) => [1080, 1440].map((side) => sizeOf(side, aspect)));
    expect(sizes.map(({ width, height }) => `${width}×${height}`).join(' ')).toBe(
      '1920×1080 2560×1440 1080×1920 1440×2560 1080×1080 1440×1440 1080×1350 1440×1800',
    );
    expect(sizes.map(aspectOf)).toEqual(ASPECTS.flatMap((aspect) => [aspect, aspect]));
  });
});
