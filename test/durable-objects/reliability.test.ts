import { createExecutionContext, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { createRandom } from '../soak/random.ts';
import { createAccount } from '../support/accounts.ts';
import { evict } from '../support/scenario.ts';
import { BASE_URL, bindings, roundRequest } from '../support/service.ts';
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
    // biome-ignore lint/suspicious/noConsole: what a run covered
    console.log(
      `${receivers.length} outcomes (seed ${SEED}), ${sent} attempts, ${canceled} runs again, 0 lost, 0 redirects followed`,
    );
  });
});
