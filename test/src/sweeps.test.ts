import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Overview } from '#protocol/operate/operate.ts';
import { createService, type Service } from '#service/lib/service.ts';
import { sendAlerts } from '#service/operate/alerts.ts';
import { byTurns, type Sweep } from '#src/cron/sweep.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import worker, { createApp } from '#src/worker.ts';
import { freezeClock } from '../support/clock.ts';
import { createFaultyService, withAbort } from '../support/faulty-service.ts';
import { ADMIN_TOKEN, BASE_URL, bindings } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

/** More rows than one step reads. */
const BROKEN = 600;
const DAY = 24 * 60 * 60 * 1000;
/** The time between two runs of the cron, and its sweeps. */
const RUN_MS = 5 * 60_000;
const SWEEPS = 16;
const ids = (kind: string) =>
  JSON.stringify([...Array.from({ length: BROKEN }, (_, i) => `broken-${kind}-${i}`), `well-${kind}`]);

/**
 * Creates a service whose objects and storage fail for ids that begin with `broken`, and records the ids that were
 * called.
 */
function createBroken() {
  const faulty = createFaultyService();
  const asked = new Set<string>();
  const state = { isMended: false };
  const answer = async (call: string, id: string) => {
    asked.add(`${call} ${id}`);
    if (id.startsWith('broken') && !state.isMended) throw new Error('it cannot be read');
    return true;
  };
  const job = (id: string) => new Proxy({}, { get: (_, call) => () => answer(String(call), id) });
  const demos = withAbort(faulty.service.demos, async (key) => {
    await answer('abort', key.split('/').at(-1) ?? '');
  });
  const service = {
    ...faulty.service,
    job: job as never,
    demos,
    log: () => {},
  };
  return { service, faulty, asked, state, upkeep: () => runUpkeep(service, Date.now()) };
}

const put = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
const putJobs = (account: string, mode: string, idle: number | null, named: string) =>
  put(
    `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at, finished_at, idle_since)
     SELECT value, ?, 'clip-' || value, 1, 'done', ?, 0, 1080, key, key + 1, ? + key FROM json_each(?)`,
    ...[account, mode, idle, named],
  );
const putClips = (account: string, renderedAt: number, named: string) =>
  put(
    `INSERT INTO clips SELECT 'clip-' || value, ?, value, 1, 'ready', 0, 't', NULL, 1080, NULL, 30, 'metered', NULL, 1, '', 1, '',
       '', 1, '', key, ? + key, NULL, NULL FROM json_each(?)`,
    ...[account, renderedAt, named],
  );
const putWish = (account: string) => put(`INSERT INTO cursors VALUES (?, 'from 1')`, `show-anew ${account}`);
const putErasing = (id: string, at: number) =>
  put(`INSERT INTO accounts (id, name, id_salt, created_at, erasing_at) VALUES (?, 'n', '', 0, ?)`, id, at);

beforeEach(async () => {
  freezeClock();
  for (const table of ['jobs', 'clips', 'uploads', 'cursors']) await bindings.DB.exec(`DELETE FROM ${table}`);
  await bindings.DB.exec('UPDATE accounts SET erasing_at = NULL');
});

describe('rows that fail', () => {
  it('do not stop the rows after them, in any sweep', { tags: ['long'] }, async () => {
    await putJobs('a', 'inspect', null, ids('forgetDemo'));
    await putJobs('a', 'round', 1, ids('forgetRequest'));
    await putClips('a', 1, ids('expireClip'));
    const uploads = `INSERT INTO uploads (id, account_id, name, bytes, sha256, multipart_id, created_at, expires_at)
      SELECT value, ?, 'a.dem', 1, value, 'm', 1, key + ? FROM json_each(?)`;
    await put(uploads, 'a', 0, ids('abort'));
    await putErasing('uploader', 1);
    await put(uploads, 'uploader', Date.now() + DAY, ids('abort-erased'));
    await putErasing('erased', 1);
    await putJobs('erased', 'round', null, ids('erase'));
    await putClips('b', Date.now(), ids('republish'));
    await putWish('b');
    const { asked, upkeep } = createBroken();
    await upkeep();
    const calls = ['forgetDemo', 'forgetRequest', 'expireClip', 'abort', 'erase', 'republish'];
    expect(calls.filter((call) => !asked.has(`${call} well-${call}`))).toEqual([]);
    expect(asked).toContain('abort well-abort-erased');
  });

  it('of an account that changed its viewing are retried until they are done, and its change is kept until then', async () => {
    await putClips('a', Date.now(), ids('republish'));
    await putClips('b', Date.now(), '["another"]');
    await putWish('a');
    await putWish('b');
    const { asked, state, upkeep } = createBroken();
    expect((await upkeep()).shown).toBe(2);
    expect(asked).toContain('republish another');
    state.isMended = true;
    expect((await upkeep()).shown).toBe(BROKEN);
    expect(await bindings.DB.prepare("SELECT * FROM cursors WHERE name LIKE 'show-anew%'").first()).toBeNull();
  });
});

it('erased accounts take turns: a large one does not delay the others', { tags: ['long'] }, async () => {
  await putErasing('large', 1);
  await putErasing('small', 2);
  const many = JSON.stringify(Array.from({ length: 9000 }, (_, i) => `large-${i}`));
  await putJobs('large', 'round', null, many);
  await putJobs('small', 'round', null, '["small-0"]');
  vi.setSystemTime(Date.now() + DAY);
  await createBroken().upkeep();
  const { results } = await bindings.DB.prepare('SELECT account_id, COUNT(*) AS n FROM jobs GROUP BY 1').all();
  expect(results).toEqual([{ account_id: 'large', n: expect.any(Number) }]);
  expect(await bindings.DB.prepare("SELECT id FROM accounts WHERE id = 'small'").first()).toBeNull();
});

it('a sweep that fails ends, and the others continue by turns', async () => {
  const steps: string[] = [];
  async function* sweep(name: string, count: number, error?: Error): Sweep {
    for (let i = 0; i < count; i++) {
      steps.push(name);
      yield 1;
    }
    if (error) throw error;
  }
  const failures: unknown[] = [];
  const error = new Error('it cannot go on');
  const sweeps = [sweep('a', 3), sweep('b', 1, error), sweep('c', 2)];
  for await (const _ of byTurns(sweeps, (one) => failures.push(one)));
  expect(steps.join('')).toBe('abcaca');
  expect(failures).toEqual([error]);
});

describe('alerts', () => {
  it('that cannot be sent are named in the log, the overview and the metrics, and sent later', {
    tags: ['long'],
  }, async () => {
    const inbox = createInbox('500');
    const { host } = new URL(inbox.url);
    const faulty = createFaultyService();
    const log = vi.fn();
    const told = { ...faulty.service, log, settings: { ...faulty.service.settings, alertUrl: inbox.url } };
    const send = (method: string, path: string, world: Service = told, token = ADMIN_TOKEN) => {
      const request = new Request(BASE_URL + path, { method, headers: { Authorization: `Bearer ${token}` } });
      return createApp(world)(request, { waitUntil: () => {} });
    };
    const overview = async () => (await send('GET', '/admin/overview')).json<Overview>();
    const metrics = async () => (await send('GET', '/metrics', told, 'a-token-for-scraping')).text();
    const error = 'ALERT_WEBHOOK_URL answered 500';
    const at = new Date().toISOString();
    await expect(sendAlerts(told, 'the bucket is away')).rejects.toThrow(error);
    expect(log).toHaveBeenCalledWith('alerts could not be sent', { alerts: ['UpkeepFailed'], error });
    vi.setSystemTime(Date.now() + 60_000);
    await expect(sendAlerts(told, 'the bucket is away')).rejects.toThrow(error);
    expect(await overview()).toMatchObject({
      firing: [{ alert: 'AlertsUnsent', since: at, text: expect.stringContaining(error) }, { alert: 'UpkeepFailed' }],
      alerts: { receiver: host, last_sent: null, last_error: { since: at, error } },
    });
    expect(await metrics()).toContain('tickreel_alerts_unsent 1\n');
    const test = async () => (await send('POST', '/admin/alerts/test')).json();
    expect(await test()).toMatchObject({ delivered: false, http_status: 500, error });
    await inbox.answerWith('200');
    expect(await test()).toMatchObject({ delivered: true, http_status: 200, error: null });
    const { firing, alerts } = await overview();
    expect(firing).toMatchObject([{ alert: 'UpkeepFailed' }]);
    expect(alerts).toMatchObject({ last_sent: new Date().toISOString(), last_error: null });
    expect(await metrics()).toContain('tickreel_alerts_unsent 0\n');
    await sendAlerts(told, 'the bucket is away');
    await sendAlerts(told, null);
    expect((await inbox.received()).slice(-3).map(({ body }) => JSON.parse(body))).toMatchObject([
      { test: true, firing: {}, resolved: [] },
      { firing: { UpkeepFailed: expect.any(String) } },
      { firing: {}, resolved: ['UpkeepFailed'] },
    ]);
    const unset = { ...told, settings: { ...told.settings, alertUrl: null } };
    const none = await send('POST', '/admin/alerts/test', unset);
    expect(await none.json()).toMatchObject({ delivered: false, error: expect.stringContaining('ALERT_WEBHOOK_URL') });
    const refused = { ...told, callOperator: () => Promise.reject(new Error('no route')) };
    await expect(sendAlerts(refused, 'again')).rejects.toThrow('ALERT_WEBHOOK_URL did not answer: no route');
    await sendAlerts(told, 'again');
    await sendAlerts(told, null);
  });

  it('are sent even if the upkeep fails, and say that it failed; a monitor outside gets no heartbeat then', async () => {
    const inbox = createInbox('200');
    const monitor = createInbox('200');
    const faulty = createFaultyService();
    const env = { ...faulty.bindings, ALERT_WEBHOOK_URL: inbox.url, HEARTBEAT_URL: monitor.url };
    const cron = async () => worker.scheduled({ scheduledTime: Date.now(), cron: '', noRetry: () => {} }, env);
    const bodies = async () => (await inbox.received()).map(({ body }) => JSON.parse(body));
    await cron();
    faulty.fail('CLIPS.list', 'storage is away');
    await expect(cron()).rejects.toThrow('upkeep failed: storage is away');
    expect(await bodies()).toMatchObject([{ firing: { UpkeepFailed: 'Upkeep has failed: storage is away' } }]);
    faulty.fail('DB', 'the index is away', { times: 10_000 });
    await expect(cron()).rejects.toThrow('the index is away');
    expect(await bodies()).toMatchObject([
      {},
      { firing: { UpkeepFailed: expect.stringContaining('the index is away') } },
    ]);
    expect(await monitor.received()).toHaveLength(1);
  });
});

describe('the statements of a run', () => {
  /** The platform's limit of one invocation, with its error. */
  function limited() {
    const asked = { statements: 0 };
    const prepare = bindings.DB.prepare.bind(bindings.DB);
    const spy = vi.spyOn(bindings.DB, 'prepare').mockImplementation((query) => {
      if (++asked.statements > 1000) throw new Error('Too many API requests by single Worker invocation.');
      return prepare(query);
    });
    return { asked, end: () => spy.mockRestore() };
  }

  it('are shared by the sweeps: one with work for thousands starves no other, is cut, and goes on in the next run', async () => {
    await put('DELETE FROM rule_runs');
    const named = JSON.stringify(Array.from({ length: 400 }, (_, i) => `many-${String(i).padStart(3, '0')}`));
    await put(
      `INSERT INTO rules (id, account_id, name, key_id, definition, send, enabled, created_at)
       SELECT value, 'many', 'r', 'no key', '{}', '{}', 1, 1 FROM json_each(?)`,
      named,
    );
    await put(
      `INSERT INTO rule_runs (id, rule_id, account_id, upload_id, state, created_at)
       SELECT value, value, 'many', value, 'waiting', ? FROM json_each(?)`,
      ...[Date.now(), named],
    );
    await put(`INSERT INTO host_failures (host_id, code, failed_at, job_id) VALUES ('h', 'c', 1, 'j')`);
    // The key of a rule is gone, so a rule whose run was looked at is paused.
    const open = () =>
      bindings.DB.prepare(`SELECT COUNT(*) AS n FROM rules WHERE account_id = 'many' AND paused_at IS NULL`).first<{
        n: number;
      }>();
    const old = () => bindings.DB.prepare(`SELECT COUNT(*) AS n FROM host_failures WHERE failed_at = 1`).first();
    // The fifth sweep, the rules, comes first.
    const now = Math.ceil(Date.now() / RUN_MS / SWEEPS) * RUN_MS * SWEEPS + 4 * RUN_MS;
    vi.setSystemTime(now);
    const { asked, end } = limited();
    await runUpkeep(createService(bindings), now);
    end();
    expect(asked.statements).toBeLessThan(1000);
    expect(await old()).toEqual({ n: 0 });
    const left = (await open())?.n ?? 0;
    expect(left).toBeLessThan(400);
    await runUpkeep(createService(bindings), now + RUN_MS);
    expect((await open())?.n).toBeLessThan(left);
  });
});
