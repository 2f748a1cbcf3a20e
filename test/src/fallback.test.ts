import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { createHost } from '../support/accounts.ts';
import { fireAlarm, leaveMemory, resetQueue, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const MINUTE = 60_000;
const RADAR = { renderer: 'radar' };
const game = (game_build: string) => ({ renderer: 'cs2', game_build });

const atQueue = () => dispatcherOf(bindings.DISPATCHER);

beforeEach(async () => {
  await resetQueue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const job = (jobId: string, query = '') => readJob(scene.account.metered, `${jobId}${query}`);
const asked = (more: object = {}) => submit(scene.account.metered, { fallback: 'radar', ...more });
const newHost = async () => await createHost();

async function refuse(grant: Grant | null, host = scene.host): Promise<void> {
  if (!grant) throw new Error('there was no job');
  await host.heartbeat(grant);
  const refused_build = '1';
  const failed = await host.report(grant, 'fail', { code: 'demo_incompatible', detail: 'no', refused_build });
  expect(failed.status).toBe(204);
}

/** Has the radar make the clip. */
async function draw(jobId: string): Promise<Grant> {
  const host = await newHost();
  const grant = await host.claim(RADAR, 20);
  if (grant?.job_id !== jobId) throw new Error(`the radar got ${grant?.job_id}`);
  await host.heartbeat(grant);
  expect((await host.finish(grant)).status).toBe(204);
  return grant;
}

describe('a job with a fallback', () => {
  it('goes to the game first, and after its refusal to the radar, with one outcome', async () => {
    const inbox = createInbox();
    const radar = await newHost();
    expect(await radar.claim(RADAR)).toBeNull();
    const jobId = await asked({ webhook_url: inbox.url });
    await fireAlarm(jobId);
    expect(await radar.claim(RADAR)).toBeNull();
    await refuse(await scene.host.claim(game('1'), 20));
    await expect.poll(() => job(jobId)).toMatchObject({ status: 'pending', error_code: null });
    expect((await draw(jobId)).order).toMatchObject({ is_fallback: true });
    expect(await job(jobId, '?include=renderer,attempts')).toMatchObject({
      status: 'done',
      renderer: 'radar',
      payload: { fallback: 'radar' },
      attempts: [{ error_code: 'demo_incompatible' }, { outcome: 'completed' }],
    });
    await expect.poll(() => inbox.received()).toHaveLength(1);
    expect(JSON.parse((await inbox.received())[0]?.body ?? '')).toMatchObject({ event: 'job.completed' });
  });

  it('shows the renderer of its clip, and of lists, only if asked', async () => {
    const jobId = await asked();
    const grant = await scene.host.claim(game('1'), 20);
    expect(grant?.order).not.toHaveProperty('is_fallback');
    if (grant) await scene.host.finish(grant);
    await fireAlarm(jobId);
    const { clip_id } = await job(jobId);
    const get = async (path: string) => (await sendJson(scene.account.metered, 'GET', path)).json();
    expect(await get(`/api/clips/${clip_id}?include=renderer`)).toMatchObject({ renderer: 'cs2' });
    expect(await get('/api/clips?include=renderer')).toMatchObject({ clips: [{ id: clip_id, renderer: 'cs2' }] });
    for (const path of [`/api/clips/${clip_id}`, '/api/clips', `/api/jobs/${jobId}`, '/api/usage']) {
      expect(JSON.stringify(await get(path))).not.toContain('renderer');
    }
  });

  it('counts its seconds by renderer, only if asked', async () => {
    const filmed = await asked();
    const grant = await scene.host.claim(game('1'), 20);
    if (grant) await scene.host.finish(grant, { duration: 2.5 });
    await fireAlarm(filmed);
    const get = async (path: string) => (await sendJson(scene.account.metered, 'GET', path)).json();
    const kind = { tier: 'metered', resolution: 1080, fps: 30 };
    const cs2 = { ...kind, renderer: 'cs2', rendered_seconds: 2.5 };
    await expect.poll(() => get('/api/usage?include=renderer')).toMatchObject({ usage: [cs2] });
    const drawnId = await asked();
    const refused = await scene.host.claim(game('1'), 20);
    if (refused) await scene.host.fail(refused, 'workshop_not_supported');
    await (await newHost()).claim(RADAR);
    await ringEvicted(drawnId, Date.now() + MINUTE);
    await draw(drawnId);
    const radar = { ...kind, renderer: 'radar', rendered_seconds: 7.5 };
    await expect.poll(() => get('/api/usage?include=renderer')).toMatchObject({ usage: [cs2, radar] });
    expect(await get('/api/usage')).toMatchObject({ usage: [{ ...kind, rendered_seconds: 10 }] });
    expect(await get('/api/usage?include=price')).toMatchObject({ status: 400 });
  });

  it('fails if no radar is there either', async () => {
    const jobId = await asked();
    await refuse(await scene.host.claim(game('1'), 20));
    await expect.poll(() => job(jobId)).toMatchObject({ status: 'error', error_code: 'demo_incompatible' });
  });

  it('has no effect if its account requires the radar', async () => {
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { renderer: 'radar' });
    expect((await draw(await asked())).order).not.toHaveProperty('is_fallback');
  });
});

describe('a wait for the game', () => {
  /** Rings all alarms of a job for some minutes; every minute the hosts poll. */
  async function wait(jobId: string, minutes: number, polls: () => Promise<unknown> = async () => {}) {
    for (let minute = 0; minute < minutes; minute++) {
      await polls();
      await ringEvicted(jobId, Date.now() + MINUTE);
    }
  }
  async function radarTakes(jobId: string): Promise<boolean> {
    // An eviction may have interrupted the offer.
    await ringEvicted(jobId, Date.now() + 10_000);
    await fireAlarm(jobId);
    return (await (await newHost()).claim(RADAR))?.job_id === jobId;
  }

  it('ends after ten minutes without a host', async () => {
    const jobId = await asked();
    await wait(jobId, 9);
    expect(await radarTakes(jobId)).toBe(false);
    await wait(jobId, 1);
    expect(await radarTakes(jobId)).toBe(true);
  });

  it('ends after the time that the account has', async () => {
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, { limits: { fallback: 2 } });
    const jobId = await asked();
    await wait(jobId, 1);
    expect(await radarTakes(jobId)).toBe(false);
    await wait(jobId, 1);
    expect(await radarTakes(jobId)).toBe(true);
  });

  it.each([false, true])(
    'goes on while a host of the game works and does not poll; after a restart: %s',
    async (isLost) => {
      const first = await asked();
      const grant = await scene.host.claim(game('1'), 20);
      if (!grant) throw new Error('there was no job');
      await scene.host.heartbeat(grant);
      const jobId = await asked();
      await fireAlarm(first);
      if (isLost) await leaveMemory(atQueue());
      await wait(jobId, 40, () => scene.host.heartbeat(grant));
      expect(await radarTakes(jobId)).toBe(false);
    },
  );

  it.each([
    ['is paused', { hold: 'paused' }],
    ['is gone', null],
  ])('does not go on for a host that %s', async (_name, change) => {
    const { hosts } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts?limit=100')).json<{
      hosts: { host_id: string }[];
    }>();
    await scene.host.claim(game('1'));
    for (const { host_id } of change ? hosts : []) {
      await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host_id}`, change);
    }
    vi.setSystemTime(Date.now() + MINUTE);
    const jobId = await asked();
    const polls = change ? () => scene.host.claim(game('1')) : undefined;
    await wait(jobId, 40, polls);
    expect(await radarTakes(jobId)).toBe(true);
  });
});

it('no job is lost: whichever builds refuse its demo, a radar makes the clip', { timeout: 60_000 }, async () => {
  const builds = fc.array(fc.constantFrom('1', '2', '3', '4', '5', '6', null), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(builds, fc.boolean(), async (order, isFirst) => {
      const radar = await newHost();
      const jobId = await asked();
      for (const build of order) {
        await radar.claim(RADAR);
        await ringEvicted(jobId, Date.now() + (isFirst ? MINUTE : 20 * MINUTE));
        const grant = await scene.host.claim({ renderer: 'cs2', game_build: build });
        if (!grant) continue;
        const refused_build = build ?? undefined;
        await scene.host.report(grant, 'fail', { code: 'demo_incompatible', detail: '', refused_build });
      }
      for (let minutes = 0; minutes < 15; minutes += 5) {
        await radar.claim({ renderer: 'radar', max_fps: 5 });
        await ringEvicted(jobId, Date.now() + 5 * MINUTE);
      }
      await fireAlarm(jobId);
      // The first build may be able to play it after all.
      const grant = (await radar.claim(RADAR)) ?? (await radar.claim(game('9')));
      expect(grant?.job_id).toBe(jobId);
      if (grant) expect((await radar.finish(grant)).status).toBe(204);
      expect(await job(jobId)).toMatchObject({ status: 'done' });
    }),
    { numRuns: 4 },
  );
});
