import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import type { JobDetail } from '#protocol/job/job-detail.ts';
import { loadChunks, matchOf, openTracks, shotsOf } from '#tracks/file.ts';
import { SHORT_MATCH, serveShortDemo } from '../../support/short-demo.ts';
import { startTestStack } from '../../support/test-stack.ts';

it('a demo and a clip of it can be played before the video is there, while no host works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  const demo = await serveShortDemo(folder);
  const stack = await startTestStack({ hosts: 1 });
  onTestFinished(async () => {
    await stack.remove();
    await demo.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { baseUrl, credentials } = stack;
  const ask = async <T>(path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${credentials.metered_key}`, 'Content-Type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    return (await (await fetch(baseUrl + path, init)).json()) as T;
  };
  const open = async (page: string | null | undefined) => {
    const requests: string[] = [];
    const file = await openTracks(async (start, length) => {
      const range = `bytes=${start}-${start + length - 1}`;
      requests.push(range);
      return new Uint8Array(await (await fetch(`${page}/tracks`, { headers: { Range: range } })).arrayBuffer());
    });
    const match = matchOf(file, await loadChunks(file, { startTick: 600, endTick: 760 }));
    return { file, match, requests };
  };

  const { demo_url } = demo.request;
  const { id } = await ask<Demo>('/api/demos', { demo_url, replay: true });
  const read = () => ask<Demo>(`/api/demos/${id}`);
  await expect.poll(async () => (await read()).state).toBe('ready');
  const whole = await open((await read()).replay_url);
  expect(whole.requests).toHaveLength(2);
  expect(whole.match.kills).toMatchObject([{ tick: 640, headshot: true }, { tick: 704 }]);
  expect(whole.file.players.map(({ name }) => name)).toEqual(SHORT_MATCH.players.map(({ name }) => name));

  const operator = createTickreelOperator({ baseUrl, adminToken: credentials.admin_token });
  const { hosts } = await operator.call('listHosts');
  for (const { host_id } of hosts)
    await operator.call('changeHost', { params: { id: host_id }, body: { hold: 'paused' } });
  const client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  const { job_id } = await client.clips.submit(demo.request);
  await client.call('publishReplay', { params: { id: job_id } });
  const job = await ask<JobDetail>(`/api/jobs/${job_id}?include=replay`);
  expect(job).toMatchObject({ status: 'pending', replay: expect.stringContaining(`${baseUrl}/replays/`) });
  const clip = await open(job.replay);
  const [shot] = shotsOf(clip.file);
  expect(shot).toMatchObject({ kills: [{ tick: 640 }, { tick: 704 }] });
  expect([clip.file.firstTick, clip.file.lastTick + 1]).toEqual([shot?.startTick, shot?.endTick]);

  for (const { host_id } of hosts) await operator.call('changeHost', { params: { id: host_id }, body: { hold: null } });
  await expect.poll(async () => (await client.jobs.get(job_id)).status, { timeout: 120_000 }).toBe('done');
  const { clip_id } = await client.jobs.get(job_id);
  expect(job.replay).toBe(`${baseUrl}/replays/${clip_id}`);
  expect((await fetch(`${baseUrl}/clips/${clip_id}/video.mp4`, { method: 'HEAD' })).status).toBe(200);
  expect((await open(job.replay)).match.kills).toHaveLength(2);
  await client.clips.delete(clip_id ?? '');
  expect((await fetch(`${job.replay}/tracks`)).status).toBe(410);
});
