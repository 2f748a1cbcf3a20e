import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Overview } from '#protocol/operate/operate.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { createHost } from '../support/accounts.ts';
import { fireAlarm, leaveMemory, pass, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const MINUTE = 60_000;
const RADAR = { renderer: 'radar' };
const game = (game_build: string) => ({ renderer: 'cs2', game_build });

beforeEach(resetQueue);

const get = async <T>(path: string) => (await sendJson(ADMIN_TOKEN, 'GET', path)).json<T>();
const story = async (jobId: string) => (await get<{ queue: object | null }>(`/admin/jobs/${jobId}`)).queue;
const asClient = async (jobId: string) =>
  ((await readJob(scene.account.metered, `${jobId}?include=queue`)) as unknown as { queue: { text: string } | null })
    .queue;
const listed = async () => {
  const { jobs } = await get<{ jobs: { waits: string | null }[] }>(`/admin/jobs?account=${scene.account.id}`);
  return jobs.map(({ waits }) => waits ?? '').toSorted();
};
const overview = () => get<Overview>('/admin/overview?days=1');
const change = (body: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${scene.account.id}`, body);

/** Submits a job, which is queued when this resolves. */
async function queued(request: object = {}, key = scene.account.metered): Promise<string> {
  const jobId = await submit(key, { fps: 60, ...request });
  await fireAlarm(jobId);
  return jobId;
}

describe('a job that waits', () => {
  it('says the same to its client, in its story, in lists and in the overview', { tags: ['long'] }, async () => {
    const host = await createHost();
    const [first, second] = [await queued(), await queued()];
    const grant = await host.claim(game('1'), 20);
    expect(grant?.job_id).toBe(first);
    if (grant) await host.heartbeat(grant);
    const text = 'The only host that can render 1080p at 60 fps is busy.';
    const busy = { reason: 'hosts_busy', text, hosts: 1, until: null };
    expect(await asClient(second)).toEqual({ ...busy, position: 1, estimate_s: null });
    expect(await story(second)).toEqual(await asClient(second));
    expect(await story(first)).toBeNull();
    await expect.poll(listed).toEqual(['', text]);
    const needs = { resolution: 1080, fps: 60, renderer: null, labels: [], skills: [], refused_builds: [] };
    expect((await overview()).waits).toEqual([{ ...busy, jobs: 1, oldest_s: expect.any(Number), needs }]);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${second}/cancel`);
    expect((await overview()).waits).toEqual([]);
  });

  it('says what its account requires and no host has, with labels only to operators', { tags: ['long'] }, async () => {
    await change({ renderer: 'cs2', labels: ['eu'] });
    vi.setSystemTime(Date.now() + 30_001);
    await (await createHost()).claim(RADAR);
    const jobId = await queued();
    const start = 'No host can render 1080p at 60 fps with the game for';
    expect((await asClient(jobId))?.text).toBe(
      `${start} the account: none has the game, none is one that the account requires.`,
    );
    const text = `${start} eu: none has the game, none has the label eu.`;
    expect(await story(jobId)).toMatchObject({ reason: 'no_host', text, hosts: 0 });
    await expect.poll(listed).toEqual([text]);
    const unservable = async () => {
      const { waits, firing } = await overview();
      const metrics = await sendJson('a-token-for-scraping', 'GET', '/metrics');
      const [, jobs] = /^tickreel_jobs_unservable (\d+)$/m.exec(await metrics.text()) ?? [];
      const isFiring = firing.some(({ alert }) => alert === 'JobsWithoutHost');
      return [waits[0]?.reason, jobs, isFiring];
    };
    expect(await unservable()).toEqual(['no_host', '1', false]);
    vi.setSystemTime(Date.now() + 6 * MINUTE);
    await (await createHost()).claim(RADAR);
    expect(await unservable()).toEqual(['no_host', '1', true]);
    await change({ renderer: null, labels: [] });
  });

  it('says until when the hosts are held, or that their account is suspended', { tags: ['long'] }, async () => {
    const host = await createHost();
    const grant = await host.claimJob(await queued());
    const { lease } = await get<{ lease: { host_id: string } }>(`/admin/jobs/${grant.job_id}`);
    await host.report(grant, 'fail', { code: 'demo_404', detail: '' });
    const { host_id } = lease;
    const until = new Date(Date.now() + 60 * MINUTE).toISOString();
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host_id}`, { hold: 'paused', until });
    const jobId = await queued();
    expect(await story(jobId)).toMatchObject({
      reason: 'hosts_held',
      until,
      text: expect.stringContaining('held by the operator'),
    });
    await change({ suspended: true });
    expect(await asClient(jobId)).toMatchObject({ reason: 'account_suspended', position: null });
    await change({ suspended: false });
    expect((await overview()).waits).toMatchObject([{ reason: 'hosts_held', jobs: 1 }]);
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/hosts/${host_id}`, { hold: null });
    expect(await story(jobId)).toMatchObject({ reason: 'in_turn', hosts: 1 });
  });

  it('waits for hosts that have not called since a restart, because they may be able to do less', {
    tags: ['long'],
  }, async () => {
    const host = await createHost();
    await host.claim(RADAR);
    vi.setSystemTime(Date.now() + MINUTE);
    await host.claim(RADAR);
    const jobId = await queued();
    expect(await story(jobId)).toMatchObject({ reason: 'in_turn', hosts: 1 });
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    expect(await story(jobId)).toMatchObject({ reason: 'hosts_awaited', hosts: 0 });
  });

  it('says that its slots are in use, and after a failure that it is tried again and avoids the host', async () => {
    await change({ provisioned_slots: 1 });
    const host = await createHost();
    const first = await queued({}, scene.account.reserved);
    const second = await queued({}, scene.account.reserved);
    const grant = await host.claim(RADAR, 20);
    if (!grant) throw new Error('there was no job');
    await host.heartbeat(grant);
    expect(await story(second)).toMatchObject({
      reason: 'slots_in_use',
      text: expect.stringMatching(/^1 provisioned slot of the account is in use\. The only host /),
    });
    await host.report(grant, 'fail', { code: 'cs2_unavailable', detail: '' });
    expect(await story(first)).toMatchObject({ reason: 'retry_later', until: expect.any(String) });
    await expect.poll(listed).toEqual([expect.any(String), 'It waits for its next attempt.']);
    await (await createHost()).claim({ ...RADAR, max_fps: 30 });
    await pass(20_000, first);
    const other = await createHost();
    expect((await other.claim(RADAR, 20))?.job_id).toBe(second);
    expect(await story(first)).toMatchObject({ reason: 'host_avoided', until: expect.any(String) });
  });

  it('says when the radar takes over, and that a host which can was seen today', async () => {
    const jobId = await queued({ fallback: 'radar' });
    await (await createHost()).claim(RADAR);
    const radar = / The radar makes the clip if this lasts until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/;
    expect(await asClient(jobId)).toMatchObject({ reason: 'no_host', text: expect.stringMatching(radar) });
    vi.setSystemTime(Date.now() + 2000);
    const player = await createHost();
    const grant = await player.claim(game('1'), 20);
    if (grant) await player.report(grant, 'fail', { code: 'demo_404', detail: '' });
    const other = await queued({ fallback: 'radar' });
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    expect((await overview()).waits).toMatchObject([{ reason: 'hosts_gone' }]);
    await leaveMemory(dispatcherOf(bindings.DISPATCHER));
    expect((await overview()).waits).toMatchObject([{ reason: 'hosts_awaited' }]);
    expect((await asClient(other))?.text).toMatch(/^The service has just started/);
  });
});
