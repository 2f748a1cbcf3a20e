import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import type { AssetUse, RenderOrder } from '#domain/clip/render-order.ts';
import { readImageHeader } from '#domain/lib/image-header.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { decodeImage } from '#render-host/overlays/watermark.ts';
import { createRenderClip, type RenderedClip } from '#render-host/pipeline/render-clip.ts';
import { NO_CARDS } from '#test/support/plain-order.ts';
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

interface Rendered extends RenderedClip {
  /** The colour of a pixel of a frame. */
  readonly at: (x: number, y: number, frame?: number) => Rgb;
}

/** Renders a clip of two frames with assets. An asset that is an error cannot be fetched. */
async function render(
  assets: Partial<Record<AssetUse, Uint8Array | Error>>,
  asked: Partial<RenderOrder>,
  capture: Capture = grey,
): Promise<Rendered> {
  const workDir = await mkdtemp(join(tmpdir(), 'watermark-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  const log = { info: () => {}, warn: () => {} };
  const renderClip = await createRenderClip({ environment: process.env, log, capture });
  const result = await renderClip({
    order: {
      demoUrl: await serve((_request, response) => response.end(DEMO)),
      selection: {
        mode: 'timeline',
        killSlowdown: null,
        segments: [{ steam64Id: PLAYER, startTick: 300, endTick: 364, speed: 1 }],
      },
      fps: 5,
      resolution: 1080,
      xray: false,
      onlyDeathnotices: true,
      ownKillfeed: false,
      damageTicker: false,
      thumbnailStyle: 'none',
      watermarkImageId: null,
      ...NO_CARDS,
      ...asked,
    },
    workDir,
    acceptedDomains: ['*'],
    allowPrivateAddresses: true,
    async fetchAsset(use) {
      const asset = assets[use] ?? null;
      if (asset instanceof Error) throw asset;
      return asset;
    },
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  const { path } = await findFfmpeg(process.env);
  const args = ['-v', 'error', '-i', result.videoPath, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const options = { encoding: 'buffer', maxBuffer: 160 * 1024 * 1024 } as const;
  const { stdout } = await promisify(execFile)(path, args, options);
  const width = 1920;
  const size = width * 1080 * 3;
  const at = (x: number, y: number, frame = 1) => {
    const from = frame * size + (y * width + x) * 3;
    return [...stdout.subarray(from, from + 3)] as Rgb;
  };
  return { ...result, at };
}

function expectColour(actual: Rgb, expected: Rgb): void {
  const off = Math.max(...actual.map((value, i) => Math.abs(value - (expected[i] ?? 0))));
  expect(off, `${actual} instead of ${expected}`).toBeLessThanOrEqual(12);
}

const RED: Rgb = [255, 0, 0];
const UNTOUCHED: Rgb = [GREY, GREY, GREY];

describe('a watermark file', () => {
  const { animatedPng: _png, animatedWebp: _webp, ...still } = PICTURES;

  test.each(Object.entries(still))('that the service takes can be drawn: %s', async (_name, file) => {
    expect(readImageHeader(file)).toMatchObject({ ok: true, width: 4, height: 3 });
    const { pixels, width, height } = await decodeImage(file, { width: 1920, height: 1080 }, tmpdir());
    expect([width, height]).toEqual([4, 3]);
    expect(pixels.some((value) => value !== 0 && value !== 255)).toBe(true);
  });

  test('covers whole where its format has no alpha', async () => {
    const { pixels } = await decodeImage(image('image/jpeg'), { width: 1920, height: 1080 }, tmpdir());
    expect(pixels.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true);
  });
});

/** A tone as a WAV file of one second. */
function music(): Uint8Array {
  const file = Buffer.alloc(44 + 16_000);
  file.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1');
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16_000, 28);
  file.writeUInt32LE(0x0010_0002, 32);
  file.write('data', 36);
  file.writeUInt32LE(16_000, 40);
  for (let i = 0; i < 8000; i++) file.writeInt16LE(Math.round(9000 * Math.sin(i / 3)), 44 + i * 2);
  return file;
}

test('cards are before and after the shots, whole and without the watermark, and music plays under all', async () => {
  const assets = {
    intro: image('image/png'),
    outro: image('image/jpeg'),
    music: music(),
    watermark: image('image/png'),
  };
  const ids = { watermarkImageId: IMAGE_ID, introAssetId: IMAGE_ID, outroAssetId: IMAGE_ID, musicAssetId: IMAGE_ID };
  const { at, ...clip } = await render(assets, { ...ids, titleCard: true, cardSeconds: 1 });
  expect(clip).toMatchObject({ frames: 17, durationSeconds: 17 / 5 });
  const background: Rgb = [9, 13, 18];
  // The intro of 90×45 pixels fills the width. Its third column is empty.
  expectColour(at(300, 540, 2), RED);
  expectColour(at(1800, 540, 2), background);
  expectColour(at(300, 30, 2), background);
  expectColour(at(3, 3, 7), background);
  // The bar under the headline.
  expectColour(at(960, 592, 7), [255, 209, 102]);
  expectColour(at(3, 3, 10), RED);
  expectColour(at(960, 540, 11), UNTOUCHED);
  expectColour(at(300, 540, 14), RED);
  for (const frame of [0, 4, 16]) {
    const [red = 0] = at(300, 540, frame);
    expect(red).toBeGreaterThan(20);
    expect(red).toBeLessThan(200);
  }
  const { path } = await findFfmpeg(process.env);
  const { stderr } = await promisify(execFile)(path, ['-i', clip.videoPath, '-af', 'ebur128', '-f', 'null', '-']);
  expect(Number(/I:\s+(-?[\d.]+) LUFS/.exec(stderr.slice(stderr.lastIndexOf('Summary:')))?.[1])).toBeGreaterThan(-17);
});

test.each(['watermark', 'intro', 'outro', 'music'] as const)(
  'a clip whose %s was deleted or is damaged fails for good, and is tried again if it was not fetched; none is recorded',
  async (use) => {
    const asked = { [use === 'watermark' ? 'watermarkImageId' : `${use}AssetId`]: IMAGE_ID };
    const unused: Capture = () => expect.unreachable('nothing may be recorded');
    const refused = (assets: Parameters<typeof render>[0]) => expect(render(assets, asked, unused)).rejects;
    await refused({}).toThrow(`render_failed: there is no ${use} ${IMAGE_ID}`);
    await refused({ [use]: new Uint8Array(2000) }).toThrow(`render_failed: the ${use} ${IMAGE_ID} cannot be decoded`);
    const unfetched = `cs2_unavailable: the ${use} ${IMAGE_ID} could not be fetched: the gateway cannot be reached`;
    await refused({ [use]: new Error('the gateway cannot be reached') }).toThrow(unfetched);
  },
);
