import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { problemType } from '#protocol/lib/problem.ts';
import { createService, dispatcherOf } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { createRandom } from '../soak/random.ts';
import { clipIdOf, createAccount, createHost } from '../support/accounts.ts';
import { evict } from '../support/scenario.ts';
import { BASE_URL, bindings, roundRequest } from '../support/service.ts';
import { announced, standInJpeg, standInMp4, TestHost } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

/** `npx node test/soak/cli.ts service` sets the long form; `npm run test:all` runs a short one. */
const settings = env as unknown as { RELIABILITY: string; MODEL_SEED: string };
const isFull = settings.RELIABILITY === 'full';
const size = (full: number, short: number) => (isFull ? full : short);
const MINUTE = 60_000;
const TIMEOUT = 30 * MINUTE;

/** Created in the test's own isolate, because requests through the pool become slower each time. */
const app = createApp(createService(bindings));

async function ask(token: string, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const init: RequestInit = { method, headers };
  if (body) init.body = JSON.stringify(body);
  const response = await app(new Request(BASE_URL + path, init), createExecutionContext());
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

describe('webhooks', () => {
  const SUCCESSES = ['200', '204', '299', 'drip'];
  const FAILURES = ['301', '302', '307', '400', '404', '410', '429', '500', '503', 'reset', 'close'];
  const SEED = Number(settings.MODEL_SEED);

  interface Receiver {
    readonly jobId: string;
    readonly inbox: ReturnType<typeof createInbox>;
    /** The job is run again before this round; null for never. */
    readonly canceledAt: number | null;
    /** The expected end of each outcome, in order. */
    readonly wanted: readonly Wanted[];
  }

  interface Wanted {
    readonly status: 'delivered' | 'exhausted' | 'canceled';
    readonly attempts: number;
  }

  /**
   * Returns the expected outcomes for a receiver that fails so often and then recovers; the job may run again before
   * that.
   */
  function wantedOf(failing: number, canceledAt: number | null): Wanted[] {
    const first: Wanted =
      failing < 10 ? { status: 'delivered', attempts: failing + 1 } : { status: 'exhausted', attempts: 10 };
    if (canceledAt === null) return [first];
    const former: Wanted = canceledAt < first.attempts ? { status: 'canceled', attempts: canceledAt } : first;
    return [former, { status: 'delivered', attempts: Math.max(failing - former.attempts, 0) + 1 }];
  }

  function plan(random: () => number, metered: string) {
    const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
    // A hang costs ten real seconds.
    const failures = isFull ? [...FAILURES, 'hang'] : FAILURES;
    return async (): Promise<Receiver> => {
      const failing = Math.min(Math.floor(random() * 12), 10);
      const answers = [...Array.from({ length: failing }, () => pick(failures)), pick(SUCCESSES)];
      const inbox = createInbox(answers.join());
      const demo_url = 'https://elsewhere.example.net/a.dem';
      const { body, status } = await ask(
        metered,
        'POST',
        '/api/clips',
        roundRequest({ demo_url, webhook_url: inbox.url }),
      );
      expect(status).toBe(201);
      const canceledAt = random() < 0.1 ? 1 + Math.floor(random() * 9) : null;
      return { jobId: String(body.job_id), inbox, canceledAt, wanted: wantedOf(failing, canceledAt) };
    };
  }

  /** A lost attempt is repeated within a minute. Here each attempt counts. */
  async function firstAttemptOver(metered: string, jobId: string): Promise<void> {
    const outcome = async () => {
      const { body } = await ask(metered, 'GET', `/api/jobs/${jobId}/deliveries`);
      const deliveries = body.deliveries as { attempts: { error: string | null }[] }[];
      const [first] = deliveries.at(-1)?.attempts ?? [];
      return first ? String(first.error) : 'none yet';
    };
    await expect.poll(outcome, { timeout: TIMEOUT }).not.toMatch(/^(none yet|no outcome was recorded)$/);
  }

  it('arrive or are tried ten times, whatever their receivers do, with an eviction before each attempt', {
    timeout: TIMEOUT,
  }, async () => {
    const { metered } = await createAccount();
    const random = createRandom(SEED);
    let canceled = 0;
    // The harness allows some thousands of calls of objects, so the long form runs this twenty times.
    const receivers = await Promise.all(Array.from({ length: size(50, 20) }, plan(random, metered)));
    for (const { jobId } of receivers) await firstAttemptOver(metered, jobId);
    for (let round = 1; round <= 11; round++) {
      await Promise.all(receivers.map(({ jobId }) => evict(jobId)));
      vi.setSystemTime(Date.now() + 15 * MINUTE);
      for (const { jobId } of receivers.filter(({ canceledAt }) => canceledAt === round)) {
        expect((await ask(metered, 'POST', `/api/jobs/${jobId}/resubmit`)).status).toBe(200);
        await firstAttemptOver(metered, jobId);
        canceled++;
      }
      await Promise.all(receivers.map(({ jobId }) => runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId))));
    }
    // The second outcome of a job that was run again has ten attempts of its own.
    for (let round = 0; round < 11; round++) {
      vi.setSystemTime(Date.now() + 15 * MINUTE);
      const again = receivers.filter(({ canceledAt }) => canceledAt !== null);
      await Promise.all(again.map(({ jobId }) => runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId))));
    }
    let sent = 0;
    for (const { jobId, inbox, wanted } of receivers) {
      const received = await inbox.received();
      sent += received.length;
      const { body } = await ask(metered, 'GET', `/api/jobs/${jobId}/deliveries`);
      const deliveries = body.deliveries as { id: string; status: string; attempts: { at: string }[] }[];
      expect(deliveries.map(({ status, attempts }) => ({ status, attempts: attempts.length }))).toEqual(wanted);
      for (const { id, attempts: log } of deliveries) {
        const mine = received.filter(({ headers }) => headers['x-service-delivery-id'] === id);
        expect(mine.map(({ headers }) => headers['x-service-attempt'])).toEqual(mine.map((_, n) => String(n + 1)));
        expect(log).toHaveLength(mine.length);
        for (const [n, { at }] of log.entries()) {
          if (n > 0) expect(Date.parse(at) - Date.parse(log[n - 1]?.at ?? '')).toBe(15 * MINUTE);
        }
      }
      expect(new Set(received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(deliveries.length);
    }
    const followed = await createInbox().receivedBy('elsewhere');
    expect(followed).toEqual([]);
    report(
      `${receivers.length} outcomes (seed ${SEED}), ${sent} attempts, ${canceled} runs again, 0 lost, 0 redirects followed`,
    );
  });
});

describe('a host that lost its lease', () => {
  const FILES = { video: standInMp4(64), thumbnail: standInJpeg(64) };
  const hostOf = (token: string) =>
    new TestHost(token, (path, init) => app(new Request(BASE_URL + path, init), createExecutionContext()));

  it.each(['another host', 'it again'])(
    'is refused under its old fence when %s has the job; the clip does not change',
    {
      timeout: TIMEOUT,
    },
    async (who) => {
      const { metered } = await createAccount();
      const late = hostOf((await createHost()).token);
      const winner = who === 'it again' ? late : hostOf((await createHost()).token);
      const jobs = size(32, 2);
      // Removes jobs that other tests left in the queue.
      await runInDurableObject(
        dispatcherOf(bindings.DISPATCHER),
        (_, { storage }) => void storage.sql.exec('DELETE FROM ready'),
      );
      let calls = 0;
      for (let n = 0; n < jobs; n++) {
        const jobId = String((await ask(metered, 'POST', '/api/clips', roundRequest())).body.job_id);
        const claim = async (host: TestHost) => {
          const grant = await host.claim({}, 20);
          if (grant?.job_id !== jobId) throw new Error(`the host got ${grant?.job_id ?? 'nothing'}`);
          await host.heartbeat(grant);
          return grant;
        };
        const old = await claim(late);
        const upload_id = await late.beginUpload(old, 'video');
        const parts = [await (await late.part(old, 'video', upload_id, FILES.video)).json()];
        const clipId = await clipIdOf(jobId);
        const leftBehind = ['video.mp4', 'thumbnail.jpg'].map((name) => `clips/${clipId}/${old.lease.fence}/${name}`);
        // The lease expires without a call, then the retry is due.
        for (const wait of [61_000, 17_000]) {
          await evict(jobId);
          vi.setSystemTime(Date.now() + wait);
          await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
        }
        // For half a minute the host that lost it is avoided.
        vi.setSystemTime(Date.now() + 31_000);
        const grant = await claim(winner);
        const { fence } = grant.lease;
        for (const file of ['video', 'thumbnail'] as const) await winner.upload(grant, file, FILES[file]);
        const video = await announced(FILES.video);
        const thumbnail = await announced(FILES.thumbnail);
        const result = { title: 'A clip', duration_seconds: 2, video, thumbnail };
        // Half of the late calls come while the winner works, half after it is done.
        const lateCalls = async () => {
          const answers = [
            await late.heartbeat(old, 'render', 0.9),
            await late.report(old, 'uploads', { file: 'video' }),
            await late.part(old, 'video', upload_id, FILES.video),
            await late.report(old, 'uploads/complete', { file: 'video', upload_id, parts }),
            await late.report(old, 'complete', result),
            await late.report(old, 'fail', { code: 'render_failed', detail: '' }),
            await late.report(old, 'release'),
          ];
          if (late !== winner) answers.push(await late.report(grant, 'complete', result));
          calls += answers.length;
          for (const answer of answers) {
            const { type } = await answer.json<{ type: string }>();
            expect({ status: answer.status, type }).toEqual({
              status: 409,
              type: problemType('stale_lease', BASE_URL),
            });
          }
        };
        // The files of the lost lease were deleted. Otherwise only the fence would stop the call.
        for (const key of leftBehind) await bindings.CLIPS.put(key, FILES.video);
        await lateCalls();
        expect((await winner.report(grant, 'complete', result)).status).toBe(204);
        await evict(jobId);
        await lateCalls();
        await bindings.CLIPS.delete(leftBehind);
        const { objects } = await bindings.CLIPS.list({ prefix: `clips/${clipId}/` });
        expect(objects.map(({ key }) => key).toSorted()).toEqual([
          `clips/${clipId}/${fence}/thumbnail.jpg`,
          `clips/${clipId}/${fence}/video.mp4`,
        ]);
        expect((await ask(metered, 'GET', `/api/jobs/${jobId}`)).body).toMatchObject({
          status: 'done',
          clip_id: clipId,
        });
      }
      report(`${calls} late calls over ${jobs} jobs that ${who} has now, 0 accepted`);
    },
  );
});

function report(line: string): void {
  // biome-ignore lint/suspicious/noConsole: what a run covered
  console.log(line);
}
