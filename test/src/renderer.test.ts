import { createExecutionContext } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { createHost } from '../support/accounts.ts';
import { fireAlarm, pass, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, roundRequest, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const JOBS = 200;
const BATCH = 50;
const GAME = { renderer: 'cs2', game_build: '1' };

it.each([
  ['cs2', [0, 0, 0, 0, 0, JOBS]],
  ['radar', [...Array(5).fill(JOBS / 5), 0]],
])(
  'of plain submits where RENDERER is %s, five radars and a host with the game get %j',
  {
    tags: ['long'],
    timeout: 300_000,
  },
  async (RENDERER, expected) => {
    await resetQueue();
    const { metered } = scene.account;
    const hosts = await Promise.all(Array.from({ length: 6 }, createHost));
    const granted = hosts.map(() => 0);
    const app = createApp(createService({ ...bindings, RENDERER } as typeof bindings));
    const headers = { Authorization: `Bearer ${metered}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify(roundRequest());
    const post = async (): Promise<string> => {
      const request = new Request(`${BASE_URL}/api/clips`, { method: 'POST', headers, body });
      return (await (await app(request, createExecutionContext())).json<{ job_id: string }>()).job_id;
    };
    for (let sent = 0; sent < JOBS; sent += BATCH) {
      vi.setSystemTime(Date.now() + 60_000);
      const jobs = await Promise.all(Array.from({ length: BATCH }, post));
      await Promise.all(jobs.map(fireAlarm));
      for (let left = BATCH; left > 0; ) {
        const before = left;
        for (const [at, host] of hosts.entries()) {
          const grant = await host.claim(at < 5 ? {} : GAME);
          if (!grant) continue;
          await host.report(grant, 'fail', { code: 'demo_404', detail: '' });
          granted[at] = (granted[at] ?? 0) + 1;
          left--;
        }
        if (left === before) throw new Error(`no host gets one of ${left} jobs`);
      }
    }
    expect(granted).toEqual(expected);
  },
);

it('a cs2_only account may not name the radar, and its clips wait for the game, also those it had before', async () => {
  await resetQueue();
  const { id, metered } = scene.account;
  const before = await Promise.all([submit(metered), submit(metered, { fallback: 'radar' })]);
  const radar = await createHost();
  await fireAlarm(before[0]);
  const drawn = await radar.claim();
  expect(drawn?.job_id).toBe(before[0]);
  if (drawn) await radar.finish(drawn);
  const changed = await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { renderer: 'cs2_only' });
  expect(await changed.json()).toMatchObject({ renderer: 'cs2_only' });
  vi.setSystemTime(Date.now() + 30_001);
  for (const path of ['renderer', 'fallback']) {
    const refused = await sendJson(metered, 'POST', '/api/clips', roundRequest({ [path]: 'radar' }));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ path, message: expect.stringMatching(/^must not/) }] });
  }
  const jobId = await submit(metered);
  expect((await sendJson(metered, 'POST', `/api/jobs/${before[0]}/resubmit`, {})).status).toBe(200);
  for (const waiting of [jobId, ...before]) {
    await pass(3_600_000, waiting);
    expect(await readJob(metered, `${waiting}?include=queue`)).toMatchObject({ queue: { renderer: 'cs2' } });
  }
  expect(await radar.claim()).toBeNull();
  expect(await readJob(metered, `${jobId}?include=queue,renderer`)).toMatchObject({
    renderer: null,
    queue: { renderer: 'cs2', reason: 'no_host', text: expect.stringContaining('none has the game') },
  });
});

it('the client, viewers and the operator see which clips the radar made', async () => {
  await resetQueue();
  const inbox = createInbox();
  const clips = [];
  for (const able of [{ renderer: 'radar' }, GAME]) {
    const { renderer } = able;
    const jobId = await submit(scene.account.metered, { renderer, webhook_url: inbox.url });
    await scene.host.finish(await scene.host.claimJob(jobId, able), { duration: renderer === 'radar' ? 2 : 6 });
    await fireAlarm(jobId);
    clips.push(String((await readJob(scene.account.metered, jobId)).clip_id));
  }
  await expect.poll(async () => (await inbox.received()).length).toBe(2);
  for (const { body, headers } of await inbox.received()) {
    const isDrawn = JSON.parse(body).clip_id === clips[0];
    expect(headers['x-service-renderer']).toBe(isDrawn ? 'radar' : undefined);
  }
  for (const path of ['', '/embed']) {
    const says = await Promise.all(clips.map(async (id) => (await send(`/clips/${id}${path}`)).text()));
    expect(says.map((text) => text.includes('Drawn from the recording, seen from above'))).toEqual([true, false]);
  }
  const account = () => sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${scene.account.id}`);
  await expect.poll(async () => (await account()).json<object>()).toMatchObject({ drawn_share: 0.25 });
});
