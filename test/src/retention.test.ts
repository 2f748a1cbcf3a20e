import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { indexText, objectText } from '#test/support/objects.ts';
import { clipIdOf } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { evict, fireAlarm, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, PLAYER, readJob, roundRequest, send, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const DAY = 24 * 60 * 60 * 1000;
const MARK = 'kept-no-longer-than-needed';
const scene = useScenario();
const upkeep = (now = Date.now()) => runUpkeep(createService(bindings), now);

/** Returns a request with unique words, and the words to look for. */
function telling(url: string): Record<string, unknown> {
  return roundRequest({
    demo_url: `https://demos.example.com/${MARK}.dem`,
    idempotency_key: 'a-key-of-mine',
    extras: { of: MARK },
    webhook_url: `${url}&at=${MARK}`,
    webhook_auth_header: `Bearer ${MARK}`,
    fps: 60,
    round: 4,
    commands: { spec_show_xray: '1' },
  });
}

const ask = (body: object) => sendJson(scene.account.metered, 'POST', '/api/clips', body);
const post = (jobId: string, what: string) => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/${what}`);

/** Creates a failed job with a long log and a delivered webhook. */
async function failedLongAgo(body: object): Promise<string> {
  const { job_id: jobId } = await (await ask(body)).json<{ job_id: string }>();
  const grant = await scene.host.claimJob(jobId);
  await scene.host.heartbeat(grant);
  const said = { code: 'player_not_in_demo', detail: `no ${MARK}`, log: `${MARK} was not there` };
  await scene.host.report(grant, 'fail', { ...said, facts: { players: [MARK] } });
  await fireAlarm(jobId);
  await ringEvicted(jobId, Date.now() + 91 * DAY);
  return jobId;
}

describe('a request that is kept for a while only', () => {
  it('is deleted everywhere when its time is up; its job, its times and its key stay', { tags: ['long'] }, async () => {
    const body = telling(createInbox().url);
    const jobId = await failedLongAgo(body);
    const before = await readJob(scene.account.metered, jobId);
    expect(await indexText()).toContain(jobId);
    expect(await objectText(jobId)).toMatch(MARK);
    await evict(jobId);
    await upkeep();
    await ringEvicted(jobId, Date.now() + DAY);
    expect(await objectText(jobId)).not.toMatch(new RegExp(`${MARK}|${PLAYER}`));
    expect(await indexText(['audit'])).not.toMatch(new RegExp(`${MARK}|${PLAYER}`));
    const explained = await readJob(scene.account.metered, `${jobId}?include=diagnosis,attempts`);
    expect(explained).toMatchObject({ diagnosis: { error_code: 'player_not_in_demo', facts: null }, attempts: [] });
    const payload = { demo_url: '', fps: 60, resolution: 1080, extras: null, idempotency_key: 'a-key-of-mine' };
    expect(await readJob(scene.account.metered, jobId)).toEqual({ ...before, payload });
    const deliveries = await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}/deliveries`);
    expect(await deliveries.json()).toEqual({ deliveries: [] });
    const row = await bindings.DB.prepare('SELECT * FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toMatchObject({ status: 'error', error_code: 'player_not_in_demo', idle_since: null });

    const again = await ask(body);
    expect([again.status, await again.json()]).toEqual([200, { job_id: jobId }]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.headers.get('Idempotency-Body-Differs')).toBeNull();
    expect((await ask({ ...body, round: 5 })).headers.get('Idempotency-Body-Differs')).toBe('true');
    const resubmit = await post(jobId, 'resubmit');
    expect(resubmit.status).toBe(409);
    expect(await resubmit.json()).toMatchObject({ type: 'https://tickreel.test/docs/problems#request_forgotten' });
    expect((await post(jobId, 'resend-webhook')).status).toBe(409);

    const redo = await ask({ ...body, force: true });
    expect([redo.status, await redo.json()]).toEqual([200, { job_id: jobId }]);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await evict(jobId);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'done', payload: { round: 4 } });
  });

  it('stays while its clip can be watched, and is deleted with it; the deletion stays visible', {
    tags: ['long'],
  }, async () => {
    const body = telling(createInbox().url);
    const { job_id: jobId } = await (await ask(body)).json<{ job_id: string }>();
    const facts = { kills: 2, players: [MARK], map: 'cs_italy', round: 4 };
    await scene.host.finish(await scene.host.claimJob(jobId), { facts });
    const clipId = await clipIdOf(jobId);
    const clip = `/api/clips/${clipId}`;
    await sendJson(scene.account.metered, 'POST', `${clip}/save`);
    await ringEvicted(jobId, Date.now() + 91 * DAY);
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({
      payload: { round: 4, demo_url: body.demo_url },
    });
    await sendJson(scene.account.metered, 'DELETE', clip);
    await ringEvicted(jobId, Date.now() + 1);
    await upkeep();
    await ringEvicted(jobId, Date.now() + 1);
    expect(await objectText(jobId)).not.toContain(MARK);
    expect(await indexText(['audit'])).not.toContain(MARK);
    const told = await sendJson(scene.account.metered, 'GET', clip);
    expect(await told.json()).toMatchObject({
      id: clipId,
      state: 'deleted',
      is_saved: true,
      title: '',
      size: '40000',
    });
    expect((await send(`/clips/${clipId}`)).status).toBe(410);
  });

  it('stays while a webhook is pending, and if the job runs again', { tags: ['long'] }, async () => {
    const inbox = createInbox('200,500');
    // Without a header: with one, the address would be deleted earlier.
    const jobId = await failedLongAgo({ ...telling(inbox.url), webhook_auth_header: undefined });
    await post(jobId, 'resend-webhook');
    await fireAlarm(jobId);
    await evict(jobId);
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { round: 4 } });
    await inbox.answerWith('200');
    await ringEvicted(jobId, Date.now() + DAY);
    await post(jobId, 'resubmit');
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'pending', payload: { round: 4 } });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await ringEvicted(jobId, Date.now() + 91 * DAY);
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { demo_url: '' } });
  });

  it('goes also where the index was away as its job forgot it, and where one job cannot be asked', {
    tags: ['long'],
  }, async () => {
    const broken = await failedLongAgo(roundRequest());
    const jobId = await failedLongAgo(telling(createInbox().url));
    await runInDurableObject(bindings.RENDER_JOB.getByName(broken), (_, { storage }) => {
      const { state } = storage.sql.exec('SELECT state FROM job').one();
      storage.sql.exec('UPDATE job SET state = ?', JSON.stringify({ ...JSON.parse(String(state)), v: 99 }));
    });
    await evict(broken);
    const faulty = createFaultyService();
    await faulty.inside(jobId);
    faulty.fail('DB', SAYS.d1[2] ?? '', { times: 3 });
    await upkeep();
    await ringEvicted(jobId, Date.now() + DAY);
    await upkeep();
    expect(await indexText(['audit'])).not.toContain(MARK);
    const row = await bindings.DB.prepare('SELECT idle_since FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toEqual({ idle_since: null });
  });

  it('is found where it ended before anything was forgotten, and kept where nothing is to be', async () => {
    const jobId = await failedLongAgo(telling(createInbox().url));
    await bindings.DB.prepare('UPDATE jobs SET idle_since = NULL').run();
    const unset = createService({ ...bindings, REQUEST_TTL_DAYS: undefined } as never);
    expect((await runUpkeep(unset, Date.now())).forgotten).toBe(0);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { round: 4 } });
    await upkeep();
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ payload: { demo_url: '' } });
  });
});
