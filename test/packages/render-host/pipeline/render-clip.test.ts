import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadImage } from '@napi-rs/canvas';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { ASPECTS, type RenderOrder, type Selection, sizeOf } from '#domain/clip/render-order.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import {
  createRenderClip,
  type RenderClip,
  type RenderClipDependencies,
  type RenderRequest,
} from '#render-host/pipeline/render-clip.ts';
import { createProgressMeter, downloadFraction, type RenderProgress } from '#render-host/pipeline/render-observer.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { NO_CARDS, PLAIN_KILLS } from '#test/support/plain-order.ts';
import { serve } from '../download/serve.ts';

const SCRIPT = composeMatch({
  rounds: [{ startTick: 10, endTick: 600, winner: 'T' }],
  kills: [
    { tick: 400, attacker: 0, victim: 5 },
    { tick: 500, attacker: 0, victim: 6 },
  ],
  lastTick: 1200,
});
const DEMO = Buffer.from(encodeDemo(SCRIPT));
const PLAYER = SCRIPT.players[0]?.steamId ?? '';

/** Grey frames, as many as asked for. */
function greyCapture(frameCount: number): Capture {
  return async ({ options: { width, height } }) => {
    const frame = new Uint8Array(width * height * 4).fill(128);
    const source: FrameSource = {
      frameCount,
      frame: async () => frame,
      async *frames(signal) {
        for (let i = 0; i < frameCount && !signal.aborted; i += 1) yield frame;
      },
    };
    return { ok: true, source, sound: null };
  };
}

/** Grey frames, as many as the shots last for. */
const greyClip: Capture = async (asked) => {
  const { match, shots, options } = asked;
  return greyCapture(createClipClock(shots, match.tickRate, options.fps).frameCount)(asked);
};

const log = { info: () => {}, warn: () => {} };
let renderGrey: RenderClip;
beforeAll(async () => {
  renderGrey = await createRenderClip({ environment: process.env, log, capture: greyCapture(5) });
});

function create(overrides: Partial<RenderClipDependencies>): Promise<RenderClip> {
  return createRenderClip({ environment: process.env, log, capture: greyCapture(5), ...overrides });
}

function order(demoUrl: string, selection: Partial<Selection> = {}): RenderOrder {
  const kills = { ...PLAIN_KILLS, steam64Id: PLAYER, round: null, preKillPadding: 1, postKillPadding: 1 };
  return {
    demoUrl,
    selection: { ...kills, ...selection } as Selection,
    fps: 5,
    resolution: 1080,
    xray: false,
    onlyDeathnotices: true,
    ownKillfeed: false,
    damageTicker: false,
    thumbnailStyle: 'none',
    watermarkImageId: null,
    ...NO_CARDS,
  };
}

async function request(overrides: Partial<RenderRequest> & Pick<RenderRequest, 'order'>): Promise<RenderRequest> {
  const workDir = await mkdtemp(join(tmpdir(), 'render-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  return {
    workDir,
    acceptedDomains: ['*'],
    allowPrivateAddresses: true,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...overrides,
  };
}

const serveDemo = (demo: Buffer = DEMO) => serve((_request, response) => response.end(demo));

describe('a render', () => {
  test('leaves a video and a thumbnail, says what they are, and keeps nothing else on disk', async () => {
    const progress: RenderProgress[] = [];
    const url = await serveDemo(gzipSync(DEMO));
    const asked = await request({ order: order(url), onProgress: (step) => progress.push(step) });
    const result = await renderGrey(asked);
    expect(result).toEqual({
      ok: true,
      videoPath: join(asked.workDir, 'clip.mp4'),
      thumbnailPath: join(asked.workDir, 'thumbnail.jpg'),
      durationSeconds: 1,
      frames: 5,
      bytes: expect.any(Number),
      facts: { kills: 2, players: ['Juniper'], map: 'de_mirage', round: null },
      storyboard: null,
    });
    expect((await readdir(asked.workDir)).toSorted()).toEqual(['clip.mp4', 'thumbnail.jpg']);
    expect((await readFile(join(asked.workDir, 'thumbnail.jpg'))).subarray(0, 2).toString('hex')).toBe('ffd8');
    const values = progress.map((step) => step.progress);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect([values[0], values.at(-1)]).toEqual([0, 1]);
    expect([...new Set(progress.map(({ phase }) => phase))]).toEqual(['prefetch', 'render']);
  });

  test('has exactly the frames that its shots last for, at its rate and size', async () => {
    const segments = [
      { steam64Id: PLAYER, startTick: 100, endTick: 116, speed: 1 },
      { steam64Id: PLAYER, startTick: 380, endTick: 404, speed: 1 },
    ];
    const render = await create({ capture: greyClip });
    const selected = order(await serveDemo(), { mode: 'timeline', segments });
    const result = await render(await request({ order: { ...selected, fps: 29, resolution: 1440 } }));
    if (!result.ok) throw new Error(result.detail);
    const frames = Math.round(29 * 0.25) + Math.round(29 * 0.375);
    expect(result.frames).toBe(frames);
    expect(result.durationSeconds).toBeCloseTo(frames / 29, 4);
    const video = { samples: frames, framesPerSecond: 29, width: 2560, height: 1440 };
    expect((await readMp4(result.videoPath))?.video).toMatchObject(video);
  });

  test.each(ASPECTS)('has a video and a thumbnail of the shape %s', async (aspect) => {
    const asked = {
      ...order(await serveDemo()),
      aspect,
      thumbnailStyle: 'full',
      titleCard: true,
      cardSeconds: 1,
    } as const;
    const result = await renderGrey(await request({ order: asked, wantsStoryboard: true }));
    if (!result.ok) throw new Error(result.detail);
    expect((await readMp4(result.videoPath))?.video).toMatchObject(sizeOf(1080, aspect));
    const { width, height } = await loadImage(result.thumbnailPath);
    expect({ width, height }).toEqual(sizeOf(720, aspect));
    const { path = '', columns = 1, rows = 1 } = result.storyboard ?? {};
    const sheet = await loadImage(path);
    const ratio = sheet.width / columns / (sheet.height / rows);
    expect(ratio).toBeCloseTo(width / height, 5);
  });

  test('draws the match with the real renderer, for as long as the shots last', async () => {
    const render = await createRenderClip({
      environment: process.env,
      log,
      capture: createRadarCapture({ sound: true }),
    });
    const segments = [{ steam64Id: PLAYER, startTick: 380, endTick: 444, speed: 1 }];
    const selected = order(await serveDemo(), { mode: 'timeline', segments });
    const covered = async (thumbnailTick: number) => {
      const result = await render(await request({ order: { ...selected, thumbnailTick } }));
      if (!result.ok) throw new Error(result.detail);
      return { result, cover: await readFile(result.thumbnailPath) };
    };
    const { result, cover } = await covered(380);
    const facts = { kills: 1, players: ['Juniper'], floor: 'movement' };
    expect(result).toMatchObject({ ok: true, frames: 5, facts });
    expect(result.facts).not.toHaveProperty('cover');
    const best = await covered(444);
    expect(best.result.facts).toMatchObject({ ...facts, cover: 'best' });
    expect(best.cover.equals(cover)).toBe(false);
    expect(result).toHaveProperty('durationSeconds', 1);
  });
});

test('what draws ahead ends when the sound of a clip cannot be read', async () => {
  let closed = 0;
  const capture: Capture = async (asked) => {
    const captured = await greyCapture(5)(asked);
    if (!captured.ok) return captured;
    const sound = [{ path: join(asked.workDir, 'missing.wav'), seconds: 1 }];
    return { ...captured, sound, source: { ...captured.source, close: async () => void closed++ } };
  };
  const render = await create({ capture });
  expect(await render(await request({ order: order(await serveDemo()) }))).toMatchObject({ ok: false });
  expect(closed).toBe(1);
});

test('a watermark that nobody can fetch is render_failed', async () => {
  const watermarked = { ...order(await serveDemo()), watermarkImageId: '00000000-0000-4000-8000-000000000000' };
  const render = await create({ capture: greyCapture(5) });
  expect(await render(await request({ order: watermarked }))).toMatchObject({ ok: false, code: 'render_failed' });
});

describe('a render fails with', () => {
  test('cs2_unavailable, which is retried, when the disk cannot be written', async () => {
    const asked = await request({ order: order(await serveDemo()), workDir: '/nowhere/at/all' });
    expect(await renderGrey(asked)).toMatchObject({ ok: false, code: 'cs2_unavailable' });
  });

  test.each(['download', 'parse', 'encode'])('cs2_unavailable when it is stopped during the %s', async (stage) => {
    const controller = new AbortController();
    const from = { download: 0, parse: 0.16, encode: 0.3 }[stage] ?? 0;
    const asked = await request({
      order: order(await serveDemo()),
      signal: controller.signal,
      onProgress: ({ progress }) => {
        if (progress >= from) controller.abort(new Error('the lease is lost'));
      },
    });
    expect(await renderGrey(asked)).toEqual({ ok: false, code: 'cs2_unavailable', detail: 'the render was stopped' });
  });
});

test('progress runs from 0 to 1 through the stages and never goes back', () => {
  const seen: RenderProgress[] = [];
  const advance = createProgressMeter((progress) => seen.push(progress));
  advance('download', 0);
  advance('download', 0.8);
  advance('download', 0.1);
  advance('decompress', 0);
  advance('parse', 0.5);
  advance('encode', 2);
  advance('thumbnail', 1);
  const values = seen.map(({ progress }) => progress);
  expect(values[0]).toBe(0);
  expect(values.at(-1)).toBe(1);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  const reading = ['download', 'download', 'download', 'decompress', 'parse'].map((stage) => `prefetch ${stage}`);
  expect(seen.map(({ phase, stage }) => `${phase} ${stage}`)).toEqual([
    ...reading,
    'render encode',
    'render thumbnail',
  ]);
});

test('a download of unknown length advances without ever being done', () => {
  const megabyte = 1024 ** 2;
  const fractions = [0, megabyte, 100 * megabyte, 10_000 * megabyte].map((bytes) => downloadFraction(bytes, null));
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBeLessThan(1);
  expect(downloadFraction(50, 200)).toBe(0.25);
  expect(downloadFraction(0, 0)).toBe(0);
});
