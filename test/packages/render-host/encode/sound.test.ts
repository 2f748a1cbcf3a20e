import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeClip } from '#render-host/encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { FrameSource, ShotSound } from '#render-host/frames/frame-source.ts';

const run = promisify(execFile);
const { path: ffprobe } = createRequire(import.meta.url)('@ffprobe-installer/ffprobe') as { path: string };

let folder: string;
let ffmpeg: Ffmpeg;
let tone: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-sound-'));
  ffmpeg = await findFfmpeg({});
  tone = join(folder, 'tone.wav');
  await run(ffmpeg.path, ['-v', 'error', '-f', 'lavfi', '-i', 'sine=440:r=44100:d=1.5', tone]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two seconds of black at 25 frames a second. */
const source: FrameSource = {
  frameCount: 50,
  async *frames() {
    for (let i = 0; i < 50; i++) yield new Uint8Array(320 * 180 * 4);
  },
  frame: async () => new Uint8Array(320 * 180 * 4),
};

async function encode(sound: readonly ShotSound[]): Promise<string> {
  const outPath = join(folder, `${sound.length}.mp4`);
  const signal = new AbortController().signal;
  const result = await encodeClip({ ffmpeg, source, width: 320, height: 180, fps: 25, sound, outPath, signal });
  expect(result).toMatchObject({ ok: true, frames: 50, durationSeconds: 2 });
  return outPath;
}

/** Loudness of a stretch, in decibels; about -91 for silence. */
async function loudness(path: string, from: number, to: number): Promise<number> {
  const filter = `atrim=${from}:${to},volumedetect`;
  const { stderr } = await run(ffmpeg.path, ['-i', path, '-map', '0:a', '-af', filter, '-f', 'null', '-']);
  return Number(/mean_volume: (-?[\d.]+) dB/.exec(stderr)?.[1]);
}

describe('the sound of a clip', () => {
  it('is AAC in stereo at 48 kHz', async () => {
    const path = await encode([{ path: tone, seconds: 2 }]);
    const fields = 'stream=codec_name,sample_rate,channels,duration';
    const args = ['-v', 'error', '-select_streams', 'a', '-show_entries', fields, '-of', 'json', path];
    const { streams } = JSON.parse((await run(ffprobe, args)).stdout);
    expect(streams).toMatchObject([{ codec_name: 'aac', sample_rate: '48000', channels: 2 }]);
    expect(Number(streams[0].duration)).toBeCloseTo(2, 1);
  });

  it('keeps every shot’s sound at its shot: too long a one is cut, too short a one followed by silence', async () => {
    const path = await encode([
      { path: tone, seconds: 0.6 },
      { path: null, seconds: 0.4 },
      { path: tone, seconds: 1 },
    ]);
    expect(await loudness(path, 0.1, 0.5)).toBeGreaterThan(-30);
    expect(await loudness(path, 0.7, 0.9)).toBeLessThan(-60);
    expect(await loudness(path, 1.1, 1.9)).toBeGreaterThan(-30);
    const short = await encode([{ path: tone, seconds: 2 }]);
    expect(await loudness(short, 1.7, 1.95)).toBeLessThan(-60);
  });

  it('begins late where the start of a shot could not be recorded', async () => {
    const path = await encode([{ path: tone, delaySeconds: 0.5, seconds: 2 }]);
    expect(await loudness(path, 0.05, 0.4)).toBeLessThan(-60);
    expect(await loudness(path, 0.6, 1.9)).toBeGreaterThan(-30);
  });

  it('is a silent track where no shot has any', async () => {
    const path = await encode([{ path: null, seconds: 2 }]);
    expect(await loudness(path, 0, 2)).toBeLessThan(-60);
    expect(await loudness(await encode([]), 0, 2)).toBeLessThan(-60);
  });
});
