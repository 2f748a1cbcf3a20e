import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '#domain/operate/limits.ts';
import type { DeliveryList } from '#protocol/job/delivery-view.ts';
import { waitOfAttempt } from '#service/job/send-webhook.ts';
import { createService } from '#service/lib/service.ts';
import { reserve } from '#storage/lib/budgets.ts';
import { createRandom } from '#test/soak/random.ts';
import { createAccount, spendBudget } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { webhook_attempts: ATTEMPTS, webhook_attempt_kb: KB } = LIMITS.fixed;
const untilNextHour = () => HOUR - (Date.now() % HOUR);

async function deliveriesOf(key: string, jobId: string): Promise<DeliveryList['deliveries']> {
  return (await (await sendJson(key, 'GET', `/api/jobs/${jobId}/deliveries`)).json<DeliveryList>()).deliveries;
}

/** Makes a job that fails at once, and waits until its webhook was sent or waits. */
async function failed(key: string, webhook_url: string, more = {}): Promise<string> {
  const jobId = await submit(key, { demo_url: 'https://demo.test/demo_url_rejected.dem', webhook_url, ...more });
  await fireAlarm(jobId);
  const first = async () => {
    const [delivery] = await deliveriesOf(key, jobId);
    return delivery?.wait_reason ?? delivery?.attempts[0]?.error ?? delivery?.status;
  };
  await expect.poll(first).not.toMatch(/^(queued|no outcome was recorded)$/);
  return jobId;
}

const attemptsOf = (deliveries: DeliveryList['deliveries']) =>
  deliveries.map(({ status, attempts }) => `${status} ${attempts.length}`);

describe('webhook attempts besides those for finished clips', () => {
  it.each([
    ['number', { webhook_attempts: 198 }],
    ['bytes', { webhook_attempt_kb: 5000 * 1000 - 1500 }],
  ])('beyond what test keys may send in an hour wait in line, lose no attempt, and say why (%s)', async (_, used) => {
    const made = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${scene.account.id}/keys`, { kind: 'test' });
    const { key } = await made.json<{ key: string }>();
    const id = await bindings.DB.prepare('SELECT id FROM accounts WHERE test_of = ?')
      .bind(scene.account.id)
      .first('id');
    const inbox = createInbox('500');
    await spendBudget(String(id), used);
    const jobs: string[] = [];
    for (let i = 0; i < 4; i++) jobs.push(await failed(key, inbox.url, { extras: 'x'.repeat(450 - i) }));
    const all = async () => (await Promise.all(jobs.map((jobId) => deliveriesOf(key, jobId)))).flat();
    expect(attemptsOf(await all())).toEqual(['queued 1', 'queued 1', 'queued 0', 'queued 0']);
    const next = Date.now() + untilNextHour();
    const [, , third, fourth] = await all();
    expect(third?.wait_reason).toMatch(/^Test keys may send 200 webhook attempts and 5000 kB an hour/);
    expect([third, fourth].map((one) => Date.parse(one?.next_attempt_at ?? '') - next)).toEqual([0, 10]);
    // The account, and others, have budgets of their own.
    for (const { metered } of [scene.account, await createAccount()]) {
      const jobId = await failed(metered, createInbox().url);
      expect(attemptsOf(await deliveriesOf(metered, jobId))).toEqual(['delivered 1']);
    }
    await inbox.answerWith('200');
    for (const jobId of jobs.slice(2)) await ringEvicted(jobId, next - 1);
    expect(attemptsOf(await all()).slice(2)).toEqual(['queued 0', 'queued 0']);
    for (const jobId of jobs.slice(2)) await ringEvicted(jobId, next + 10);
    const [, , ...waited] = await all();
    expect(attemptsOf(waited)).toEqual(['delivered 1', 'delivered 1']);
    expect(waited.map((one) => Date.parse(one.attempts[0]?.at ?? '') - next)).toEqual([0, 10]);
    expect(waited[0]).not.toHaveProperty('wait_reason');
  });

  it('are resends too: those of a clip do not touch the attempts that its run has announced', {
    tags: ['long'],
  }, async () => {
    const { id, metered } = scene.account;
    vi.setSystemTime(Date.now() + untilNextHour());
    const began = Date.now();
    const inbox = createInbox('500');
    await spendBudget(id, { webhook_attempts: ATTEMPTS.preset, webhook_attempt_kb: 1000 * KB.preset });
    const jobId = await submit(metered, { webhook_url: inbox.url });
    await scene.host.finish(await scene.host.claimJob(jobId));
    await expect.poll(async () => (await inbox.received()).length).toBe(1);
    expect((await sendJson(metered, 'POST', `/api/jobs/${jobId}/resend-webhook`)).status).toBe(200);
    await expect
      .poll(async () => (await deliveriesOf(metered, jobId))[1]?.wait_reason)
      .toMatch(/^The account may send 6000 webhook attempts/);
    for (let hour = 0; hour < 5; hour++) {
      await spendBudget(id, { webhook_attempts: ATTEMPTS.preset });
      await ringEvicted(jobId, began + (hour + 1) * HOUR);
    }
    const [own, again] = await deliveriesOf(metered, jobId);
    expect(own?.status).toBe('exhausted');
    const quarters = Array.from({ length: 10 }, (_, i) => i * 15 * MINUTE);
    expect(own?.attempts.map(({ at }) => Date.parse(at) - began)).toEqual(quarters);
    // It has its place in the second hour, and gets one more in each later one.
    expect(again?.attempts.map(({ at }) => Math.floor((Date.parse(at) - began) / HOUR))).toEqual([1, 2, 3, 4, 5]);
    expect(again?.status).toBe('queued');
  });

  it('of a test of a receiver get 429 beyond the budget, and reserve nothing', async () => {
    const { id, metered } = scene.account;
    await spendBudget(id, { webhook_attempts: ATTEMPTS.preset });
    const row = bindings.DB.prepare("SELECT used FROM budgets WHERE owner = ? AND name = 'webhook_attempts'").bind(id);
    const test = () => sendJson(metered, 'POST', '/api/webhooks/test', { webhook_url: createInbox().url });
    const refused = await test();
    const seconds = Math.ceil(untilNextHour() / 1000);
    expect([refused.status, Number(refused.headers.get('Retry-After'))]).toEqual([429, seconds]);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('6000 webhook attempts') });
    expect(await row.first('used')).toBe(ATTEMPTS.preset);
    vi.setSystemTime(Date.now() + untilNextHour());
    expect([(await test()).status, await row.first('used')]).toEqual([200, 1]);
  });

  it('are sent uncounted if D1 fails', async () => {
    const { id: accountId } = scene.account;
    await spendBudget(accountId, { webhook_attempts: ATTEMPTS.preset });
    const { service, fail } = createFaultyService();
    fail('DB', 'Network connection lost.');
    expect(await waitOfAttempt(service, { accountId, isTest: false, bytes: 1 })).toBeNull();
  });
});

describe('a place in line', () => {
  it('is in the first hour, after all before it, with room in each budget; a late clock changes nothing', {
    tags: ['long'],
  }, async () => {
    const { database } = createService(bindings);
    const random = createRandom(Number((bindings as unknown as { MODEL_SEED: string }).MODEL_SEED));
    const upTo = (most: number) => Math.floor(random() * (most + 1));
    for (const most of [1, 7, 100]) {
      const owner = crypto.randomUUID();
      const taken = new Map<number, [number, number]>();
      let [now, last, period] = [Date.now(), 0, 0];
      for (let i = 0; i < 150; i++) {
        now += random() < 0.1 ? upTo(4) * HOUR : upTo(2 * MINUTE);
        const mayWait = random() < 0.8;
        const [size, bytes] = [upTo(4) === 0 ? 100 : 1 + upTo(30), 100];
        const at = now - (random() < 0.3 ? 5 * MINUTE : 0);
        const ofBytes = { name: 'webhook_attempt_kb', amount: size, most: bytes } as const;
        const place = await reserve(database, { owner, at, mayWait }, [
          { name: 'webhook_attempts', amount: 1, most },
          ofBytes,
        ]);
        const present = Math.max(period, Math.floor(at / HOUR));
        const inHour = (hour: number) => taken.get(hour) ?? ([0, 0] as const);
        const hasRoom = (hour: number) => inHour(hour)[0] < most && inHour(hour)[1] + size <= bytes;
        const first = Math.max(last, present);
        const hour = hasRoom(first) ? first : first + 1;
        if (!mayWait && hour > present) {
          expect(place).toBeNull();
          continue;
        }
        period = present;
        const [number, sum] = inHour(hour);
        expect(place).toEqual({ at: hour * HOUR, place: number });
        taken.set(hour, [number + 1, sum + size]);
        last = hour;
      }
    }
  });
});
