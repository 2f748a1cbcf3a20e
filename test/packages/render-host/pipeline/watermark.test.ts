import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { readImageHeader } from '#domain/image-header.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { loadWatermark } from '#render-host/overlays/watermark.ts';
import { createRenderClip } from '#render-host/pipeline/render-clip.ts';
import { PICTURES } from '../../../support/pictures.ts';
import { serve } from '../download/serve.ts';

const SCRIPT = composeMatch({ rounds: [{ startTick: 10, endTick: 600, winner: 'T' }], kills: [], lastTick: 1200 });
const DEMO = Buffer.from(encodeDemo(SCRIPT));
const PLAYER = SCRIPT.players[0]?.steamId ?? '';
const GREY = 128;
const IMAGE_ID = '00000000-0000-4000-8000-000000000000';

/** Two frames of one grey. */
const grey: Capture = async ({ options: { width, height } }) => {
  const frame = () => new Uint8Array(width * height * 4).fill(GREY);
  const source: FrameSource = {
    frameCount: 2,
    frame: async () => frame(),
    async *frames() {
      yield frame();
      yield frame();
    },
  };
  return { ok: true, source, sound: null };
};

/** 90×45 pixels in three columns: red, red at half its strength, nothing. */
function image(type: 'image/png' | 'image/jpeg'): Uint8Array {
  const canvas = createCanvas(90, 45);
  const ctx = canvas.getContext('2d');
  ctx.fillStyle = '#ff0000';
  ctx.fillRect(0, 0, 30, 45);
  ctx.globalAlpha = 0.5;
  ctx.fillRect(30, 0, 30, 45);
  return type === 'image/png' ? canvas.toBuffer(type) : canvas.toBuffer(type, 100);
}

type Rgb = [number, number, number];

/** Renders a clip with a watermark, and gives a reader of the colours of the video's last frame. */
async function renderMarked(watermark: Uint8Array): Promise<(x: number, y: number) => Rgb> {
  const workDir = await mkdtemp(join(tmpdir(), 'watermark-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  const log = { info: () => {}, warn: () => {} };
  const render = await createRenderClip({ environment: process.env, log, capture: grey });
  const result = await render({
    order: {
      demoUrl: await serve((_request, response) => response.end(DEMO)),
      selection: { mode: 'timeline', segments: [{ steam64Id: PLAYER, startTick: 300, endTick: 364 }] },
      fps: 5,
      resolution: 1080,
      xray: false,
      onlyDeathnotices: true,
      ownKillfeed: false,
      damageTicker: false,
      thumbnailStyle: 'none',
      watermarkImageId: IMAGE_ID,
    },
    workDir,
    acceptedDomains: ['*'],
    allowPrivateAddresses: true,
    fetchWatermark: async (id) => (id === IMAGE_ID ? watermark : null),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  const { path } = await findFfmpeg(process.env);
  const args = ['-v', 'error', '-i', result.videoPath, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  const { stdout } = await promisify(execFile)(path, args, options);
  const width = 1920;
  const last = stdout.subarray(-width * 1080 * 3);
  return (x, y) => [...last.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)] as Rgb;
}

function expectColour(actual: Rgb, expected: Rgb): void {
  const off = Math.max(...actual.map((value, i) => Math.abs(value - (expected[i] ?? 0))));
  expect(off, `${actual} instead of ${expected}`).toBeLessThanOrEqual(12);
}

const RED: Rgb = [255, 0, 0];
const HALF_RED: Rgb = [192, 64, 64];
const UNTOUCHED: Rgb = [GREY, GREY, GREY];

describe('a watermark file', () => {
  const { animatedPng: _png, animatedWebp: _webp, ...still } = PICTURES;

  test.each(Object.entries(still))('that the service takes can be drawn: %s', async (_name, file) => {
    expect(readImageHeader(file)).toMatchObject({ ok: true, width: 4, height: 3 });
    const { pixels, width, height } = await loadWatermark(file, 1920, 1080);
    expect([width, height]).toEqual([4, 3]);
    expect(pixels.some((value) => value !== 0 && value !== 255)).toBe(true);
  });

  test('covers whole where its format has no alpha', async () => {
    const { pixels } = await loadWatermark(image('image/jpeg'), 1920, 1080);
    expect(pixels.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true);
  });
});

test('the watermark in the video covers, blends and lets through at the top left, pixel by pixel, and changes nothing else', async () => {
  const at = await renderMarked(image('image/png'));
  for (const y of [3, 41]) {
    expectColour(at(3, y), RED);
    expectColour(at(26, y), RED);
    expectColour(at(34, y), HALF_RED);
    expectColour(at(56, y), HALF_RED);
    expectColour(at(64, y), UNTOUCHED);
  }
  for (const [x, y] of [[3, 49] as const, [1916, 3] as const, [3, 1076] as const, [960, 540] as const]) {
    expectColour(at(x, y), UNTOUCHED);
  }
});
