import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTickreel, type JobProgress, type Tickreel } from '#client/index.ts';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import type { SubmitRequest } from '#protocol/submit.ts';
import { clipUrls } from '#protocol/webhook.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import { serveFile } from '#stack/serve-file.ts';
import { type Stack, startStack } from '#stack/stack.ts';

/** Two kills whose windows merge, one second apart: with half a second around them, two seconds in all. */
const MATCH = composeMatch({
  rounds: [{ startTick: 64, endTick: 1200, winner: 'T' }],
  kills: [
    { tick: 640, attacker: 1, victim: 6, headshot: true },
    { tick: 704, attacker: 1, victim: 7 },
  ],
});
const [, KILLER] = MATCH.players;
const FPS = 5;

let dataDir: string;
let demo: Awaited<ReturnType<typeof serveFile>>;
let request: SubmitRequest;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  const path = join(dataDir, 'match.dem');
  await writeDemoFile(MATCH, path);
  demo = await serveFile(path);
  request = {
    demo_url: demo.url,
    steam64_id: KILLER?.steamId ?? '',
    fps: FPS,
    pre_kill_padding: 0.5,
    post_kill_padding: 0.5,
  };
});

afterAll(async () => {
  await demo.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (hosts: number) => startStack({ port: 0, dataDir, hosts, timeScale: 0.001, logLevel: 'silent' });

function clientOf(stack: Stack): Tickreel {
  return createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
}

async function follow(client: Tickreel, jobId: string): Promise<JobProgress[]> {
  const notices: JobProgress[] = [];
  for await (const notice of client.jobs.watch(jobId)) notices.push(notice);
  return notices;
}

/** A server that keeps the first webhook it gets. */
async function webhookServer() {
  let take: (body: string) => void = () => {};
  const first = new Promise<string>((resolve) => {
    take = resolve;
  });
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      response.end();
      take(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return { url: `http://127.0.0.1:${address.port}/hook`, first, close: () => server.close() };
}

describe('the stack on one machine', () => {
  it('renders a clip of a demo and serves it, and still has everything after a restart', async () => {
    const receiver = await webhookServer();
    let stack = await start(1);
    const client = clientOf(stack);
    const { jobId } = await client.clips.submit({ ...request, webhook_url: receiver.url, extras: [1] });
    const notices = await follow(client, jobId);
    expect(notices.at(-1)).toMatchObject({ status: 'done', error_code: null });

    const job = await client.jobs.get(jobId);
    const clip = await client.clips.get(job.clip_id ?? '');
    expect(clip).toMatchObject({
      state: 'ready',
      fps: FPS,
      resolution: 1080,
      title: expect.stringMatching(/^2 kills by .+ on de_/),
    });
    expect(JSON.parse(await receiver.first)).toMatchObject({ event: 'job.completed', clip_id: clip.id, extras: [1] });

    const urls = clipUrls(stack.baseUrl, clip.id);
    const video = new Uint8Array(await (await fetch(urls.video)).arrayBuffer());
    expect(video.byteLength).toBe(Number(clip.size));
    const file = join(dataDir, 'clip.mp4');
    await writeFile(file, video);
    const info = await readMp4(file);
    expect(info).toMatchObject({
      fastStart: true,
      video: { codec: 'avc1', width: 1920, height: 1080, samples: 2 * FPS },
    });
    expect(Math.abs((info?.video?.durationSeconds ?? 0) - 2)).toBeLessThanOrEqual(1 / FPS);
    expect(Math.abs(clip.duration_seconds - 2)).toBeLessThanOrEqual(1 / FPS);
    const thumbnail = new Uint8Array(await (await fetch(urls.thumbnail)).arrayBuffer());
    expect([...thumbnail.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(await (await fetch(urls.page)).text()).toMatch(new RegExp(`<video[^>]+/clips/${clip.id}/video.mp4`));

    // The same demo, out of the service itself instead of from its address.
    const content = await openAsBlob(join(dataDir, 'match.dem'));
    const { demo_url } = await client.uploads.send({ name: 'match.dem', content });
    const { jobId: uploadedJob } = await client.clips.submit({ ...request, demo_url });
    expect((await follow(client, uploadedJob)).at(-1)).toMatchObject({ status: 'done', error_code: null });
    const { match } = await client.demos.inspect(demo_url);
    expect(match).toMatchObject({ kills: [{ headshot: true }, {}], rounds: [{ winner: 'T' }] });
    await stack.stop();
    receiver.close();

    stack = await start(0);
    try {
      const again = clientOf(stack);
      expect(await again.clips.get(clip.id)).toEqual(clip);
      const kept = await fetch(clipUrls(stack.baseUrl, clip.id).video);
      expect(new Uint8Array(await kept.arrayBuffer())).toEqual(video);
    } finally {
      await stack.stop();
    }
  });

  it('renders after a restart what was waiting before it, and fails what has no kill, saying why', async () => {
    let stack = await start(0);
    const { jobId } = await clientOf(stack).clips.submit({ ...request, round: 1 });
    const nothing = await clientOf(stack).clips.submit({ ...request, steam64_id: MATCH.players[9]?.steamId ?? '' });
    await stack.stop();
    stack = await start(1);
    try {
      const client = clientOf(stack);
      expect((await follow(client, jobId)).at(-1)).toMatchObject({ status: 'done' });
      await follow(client, nothing.jobId);
      expect(await client.jobs.get(nothing.jobId)).toMatchObject({
        status: 'error',
        error_code: 'no_kills_found',
        clip_id: null,
      });
    } finally {
      await stack.stop();
    }
  });
});
