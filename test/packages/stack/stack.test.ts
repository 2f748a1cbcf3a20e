import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTickreel, type JobProgress } from '#client/index.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import { startStack } from '#stack/stack.ts';
import { startReceiver } from '../../support/receiver.ts';
import { SHORT_MATCH, serveShortDemo } from '../../support/short-demo.ts';

it('renders after a restart what was submitted before it, and still has the clip after another one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  const demo = await serveShortDemo(dataDir);
  const receiver = await startReceiver();
  onTestFinished(async () => {
    receiver.stop();
    await demo.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = async (hosts: number) => {
    const stack = await startStack({ port: 0, dataDir, hosts, timeScale: 0.001, logLevel: 'silent' });
    onTestFinished(() => stack.stop().catch(() => {}));
    const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
    return { stack, client, baseUrl: stack.baseUrl };
  };
  const bytesOf = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());

  const first = await start(0);
  const { job_id: jobId } = await first.client.clips.submit({
    ...demo.request,
    webhook_url: receiver.url,
    extras: [1],
  });
  const bystander = { ...demo.request, steam64_id: SHORT_MATCH.players[9]?.steamId ?? '' };
  const nothing = await first.client.clips.submit(bystander);
  await first.stack.stop();

  const second = await start(1);
  const follow = async (id: string) => {
    let last: JobProgress | undefined;
    for await (const notice of second.client.jobs.watch(id)) last = notice;
    return last;
  };
  expect(await follow(jobId)).toMatchObject({ status: 'done', error_code: null });
  const job = await second.client.jobs.get(jobId);
  const clip = await second.client.clips.get(job.clip_id ?? '');
  const { fps } = demo.request;
  const title = expect.stringMatching(/^2 kills by .+ on /);
  expect(clip).toMatchObject({ state: 'ready', fps, resolution: 1080, title });
  const webhook = { event: 'job.completed', clip_id: clip.id, extras: [1] };
  expect((await receiver.arrival(0)).body).toMatchObject(webhook);
  const urls = clipUrls(second.baseUrl, clip.id);
  const video = await bytesOf(urls.video);
  expect(video.byteLength).toBe(Number(clip.size));
  await writeFile(join(dataDir, 'clip.mp4'), video);
  const info = await readMp4(join(dataDir, 'clip.mp4'));
  expect(info).toMatchObject({
    fastStart: true,
    video: { codec: 'avc1', width: 1920, height: 1080, samples: 2 * fps },
  });
  expect(Math.abs((info?.video?.durationSeconds ?? 0) - 2)).toBeLessThanOrEqual(1 / fps);
  expect(Math.abs(clip.duration_seconds - 2)).toBeLessThanOrEqual(1 / fps);
  expect([...(await bytesOf(urls.thumbnail)).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(await (await fetch(urls.page)).text()).toMatch(new RegExp(`<video[^>]+/clips/${clip.id}/video.mp4`));

  expect(await follow(nothing.job_id)).toMatchObject({ status: 'error', error_code: 'no_kills_found' });
  // The same demo, served by the service itself.
  const content = await openAsBlob(demo.path);
  const { demo_url } = await second.client.uploads.send({ name: 'match.dem', content });
  const { match } = await second.client.demos.inspect(demo_url);
  expect(match).toMatchObject({ kills: [{ headshot: true }, {}], rounds: [{ winner: 'T' }] });
  const plan = await second.client.clips.plan({ ...demo.request, demo_url });
  expect(plan).toMatchObject({ is_estimate: false, shots: [{ steam64_id: demo.request.steam64_id, round: 1 }] });
  expect(Math.abs(plan.seconds - clip.duration_seconds)).toBeLessThanOrEqual(1 / fps);
  const { diagnosis } = await second.client.jobs.get(nothing.job_id, { include: ['diagnosis'] });
  await expect(second.client.clips.plan({ ...bystander, demo_url })).rejects.toMatchObject({
    code: 'clip_impossible',
    message: diagnosis?.summary,
    problem: { error_code: 'no_kills_found' },
  });
  await second.stack.stop();

  const third = await start(0);
  expect(await third.client.clips.get(clip.id)).toEqual(clip);
  expect(await bytesOf(clipUrls(third.baseUrl, clip.id).video)).toEqual(video);
  // A test key needs no host.
  const tests = createTickreel({ baseUrl: third.baseUrl, apiKey: third.stack.credentials.test_key ?? '' });
  const test = { ...demo.request, demo_url: 'https://demo.test/retry-then-ok.dem', webhook_url: receiver.url };
  const tested = await tests.clips.render(test);
  expect(tested).toMatchObject({ state: 'ready', title: expect.stringMatching(/^Test: /) });
  expect((await receiver.arrival(1)).body).toMatchObject({ event: 'job.completed', clip_id: tested.id });
  const film = join(dataDir, 'test.mp4');
  await tests.clips.downloadTo(tested.id, film);
  expect(await readMp4(film)).toMatchObject({ fastStart: true, video: { codec: 'avc1', height: 480 } });
});
