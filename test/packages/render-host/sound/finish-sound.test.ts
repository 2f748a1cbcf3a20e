import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slowKills } from '#domain/clip/plan/plan-selection.ts';
import { secondAt } from '#domain/clip/plan/shot-time.ts';
import { soundPieces } from '#render-host/capture/cs2/cs2-capture.ts';
import { AAC_ARGS } from '#render-host/encode/encode-clip.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { type FinishInput, finishSound, type Music, stretched } from '#render-host/sound/finish-sound.ts';
import type { Samples } from '#render-host/sound/signal.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { buildKill, buildMatch, buildShot } from '#test/packages/render-host/builders.ts';

const run = promisify(execFile);
const { path: npmBuild } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string };

/** The machine's ffmpeg, and the one of 2018 that npm installs. */
describe.each(['machine', 'npm'])('the finished sound, by the ffmpeg of %s', (build) => {
  let folder: string;
  let ffmpeg: { path: string };
  let music: Music;

  /** Makes a file from ffmpeg's expression of a sound. */
  async function make(name: string, source: string, args: readonly string[] = []): Promise<string> {
    const path = join(folder, name);
    await run(ffmpeg.path, ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...args, path]);
    return path;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tickreel-sound-'));
    ffmpeg = build === 'npm' ? { path: npmBuild } : await findFfmpeg({});
    await make('tone.wav', 'sine=440:r=44100:d=1.5');
    await make('fight.wav', "aevalsrc='(random(0)-0.5)*exp(-9*mod(t,0.4))':s=48000:d=20,lowpass=500,lowpass=500");
    const path = await make('music.raw', 'sine=6000:r=48000:d=20', ['-ac', '2', '-f', 'f32le']);
    music = { path, seconds: 20, loudness: -18 };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const at = (name: string) => join(folder, name);

  async function finish(input: Partial<FinishInput>): Promise<string> {
    const signal = new AbortController().signal;
    const plain = { ffmpeg, sound: null, music: null, before: 0, workDir: folder, signal };
    return (await finishSound({ ...plain, seconds: 2, ...input })) ?? 'nothing';
  }

  /** Loudness of a stretch, in decibels; about -91 for silence. */
  async function loudness(path: string, from: number, to: number, filter = 'anull'): Promise<number> {
    const filters = `atrim=${from}:${to},${filter},volumedetect`;
    const { stderr } = await run(ffmpeg.path, ['-i', path, '-map', '0:a', '-af', filters, '-f', 'null', '-']);
    return Number(/mean_volume: (-?[\d.]+) dB/.exec(stderr)?.[1]);
  }

  async function samples(path: string): Promise<Float32Array> {
    const args = ['-v', 'error', '-i', path, '-ac', '1', '-f', 'f32le', '-'];
    const { stdout } = await run(ffmpeg.path, args, { encoding: 'buffer', maxBuffer: 1e8 });
    return new Float32Array(Uint8Array.from(stdout).buffer);
  }

  /** LUFS and dBTP after the encoder. */
  async function measured(path: string): Promise<{ loudness: number; peak: number }> {
    await run(ffmpeg.path, ['-y', '-i', path, ...AAC_ARGS, at('clip.m4a')]);
    const { stderr } = await run(ffmpeg.path, ['-i', at('clip.m4a'), '-af', 'ebur128=peak=true', '-f', 'null', '-']);
    const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
    const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1]);
    return { loudness: number(/I:\s+(-?[\d.]+) LUFS/), peak: number(/Peak:\s+(-?[\d.]+) dBFS/) };
  }

  it('keeps every shot’s sound at its shot, and cards silent, to a sample', async () => {
    const sound = [
      { path: at('tone.wav'), seconds: 0.6 },
      { path: null, seconds: 0.4 },
      { path: at('tone.wav'), delaySeconds: 0.5, seconds: 2.5 },
    ];
    const path = await finish({ sound, before: 1, seconds: 5.5 });
    expect(await samples(path)).toHaveLength(5.5 * 48_000);
    const [loud, silent] = [
      [
        [1.1, 1.5],
        [2.6, 3.9],
      ],
      [
        [0, 1],
        [1.61, 2.45],
        [4.1, 5.5],
      ],
    ] as const;
    for (const [from, to] of loud) expect(await loudness(path, from, to)).toBeGreaterThan(-30);
    for (const [from, to] of silent) expect(await loudness(path, from, to)).toBeLessThan(-85);
    const click = await make('click.wav', "aevalsrc='between(n,24000,24047)':s=48000:d=1");
    const clicked = await samples(await finish({ sound: [{ path: click, seconds: 1 }], before: 1 }));
    expect(Math.abs(clicked.findIndex((value) => Math.abs(value) > 0.1) - 1.5 * 48_000)).toBeLessThan(4);
  });

  it('has no click where a shot begins or ends', async () => {
    const part = { path: at('tone.wav'), seconds: 0.7213 };
    const values = await samples(await finish({ sound: [part, part], seconds: 1.6 }));
    const bend = (i: number) => Math.abs((values[i] ?? 0) - 2 * (values[i - 1] ?? 0) + (values[i - 2] ?? 0));
    const usual = Math.max(...Array.from({ length: 10_000 }, (_, i) => bend(i + 10_000)));
    for (let i = 2; i < values.length; i++) expect(bend(i)).toBeLessThan(usual * 1.1);
  });

  it.each([1, 0.3, 0.1, 2.5])('is at its pitch and its time at %s of its speed', async (speed) => {
    const seconds = 0.5 / speed;
    const pieces = [
      { fromSeconds: 0, toSeconds: 0.5, seconds: 0.5 },
      { fromSeconds: 0.5, toSeconds: 1, seconds },
      { fromSeconds: 1, toSeconds: 1.5, seconds: 0.5 },
    ];
    const sound = [{ path: at('tone.wav'), pieces, seconds: 1 + seconds }];
    const path = await finish({ sound, seconds: 1 + seconds });
    const values = (await samples(path)).subarray(4800, -4800);
    const crossings = values.filter((value, i) => value >= 0 && (values[i - 1] ?? value) < 0).length;
    expect(crossings / (values.length / 48_000)).toBeCloseTo(440, -1);
    const peaks = Array.from({ length: Math.floor(values.length / 240) }, (_, i) =>
      Math.max(...values.subarray(i * 240, i * 240 + 240)),
    );
    expect(Math.min(...peaks)).toBeGreaterThan(Math.max(...peaks) * 0.9);
  });

  it.each([
    ['quiet', 1],
    ['loud', 3],
  ])('is at -16 LUFS if it was %s, and does not clip', async (_, gain) => {
    const source = `aevalsrc='${gain}*(random(0)-0.5)*exp(-9*mod(t,0.4))':s=48000:d=8,lowpass=4000`;
    const sound = [{ path: await make('game.wav', source), seconds: 8 }];
    const { loudness: reached, peak } = await measured(await finish({ sound, seconds: 8 }));
    expect(Math.abs(reached + 16)).toBeLessThan(1);
    expect(peak).toBeLessThan(-1);
  });

  it('has music at its full level under cards, lower under shots, faded and cut, at -16 LUFS', async () => {
    const sound = [{ path: at('fight.wav'), seconds: 8 }];
    const path = await finish({ sound, music, before: 4, seconds: 18 });
    const level = (from: number, to: number) => loudness(path, from, to, 'highpass=5500,highpass=5500');
    const alone = await level(2, 3.8);
    expect(await level(0, 0.2)).toBeLessThan(alone - 10);
    expect(await level(6, 11.5)).toBeLessThan(alone - 5);
    expect(Math.abs((await level(14.5, 15.4)) - alone)).toBeLessThan(2);
    expect(await level(17.8, 18)).toBeLessThan(alone - 15);
    expect(await samples(path)).toHaveLength(18 * 48_000);
    const { loudness: reached, peak } = await measured(path);
    expect(Math.abs(reached + 16)).toBeLessThan(1);
    expect(peak).toBeLessThan(-1);
  });

  it('plays music once, alone if the shots have no sound', async () => {
    const path = await finish({ music: { ...music, seconds: 4 }, seconds: 6 });
    expect(await loudness(path, 1, 2.9)).toBeGreaterThan(-30);
    expect(await loudness(path, 4.05, 6)).toBeLessThan(-85);
  });

  it('leaves no other file than the finished sound', async () => {
    const workDir = await mkdtemp(join(folder, 'work-'));
    const sound = [{ path: at('tone.wav'), seconds: 12 }];
    await finish({ sound, music, seconds: 12, workDir });
    expect(await readdir(workDir)).toEqual(['sound.w64']);
  });

  it('is none without sound and music, and silent if no shot has sound', async () => {
    expect(await finish({})).toBe('nothing');
    expect(await loudness(await finish({ sound: [{ path: null, seconds: 2 }] }), 0, 2)).toBeLessThan(-85);
  });

  it('fails with the reason if a file is no sound, and stops when it is aborted', async () => {
    const sound = [{ path: new URL(import.meta.url).pathname, seconds: 2 }];
    await expect(finish({ sound })).rejects.toThrow('Invalid data');
    await expect(finish({ sound, signal: AbortSignal.abort(new Error('the lease is lost')) })).rejects.toThrow(
      'the lease is lost',
    );
  });
});

const RATE = 48_000;

type Pieces = Parameters<typeof stretched>[1];

const secondsOf = (pieces: Pieces): number => pieces.reduce((sum, { seconds }) => sum + seconds, 0);

async function play(sound: Samples, pieces: Pieces, seconds = secondsOf(pieces)): Promise<Float32Array> {
  const read = async (first: number, count: number) =>
    Float32Array.from({ length: count * 2 }, (_, i) => sound[first * 2 + i] ?? 0);
  const all: number[] = [];
  for await (const part of stretched(read, pieces, Math.round(seconds * RATE))) all.push(...part);
  return Float32Array.from(all);
}

/** Both sides of a function of seconds. */
function sound(seconds: number, at: (second: number) => number): Samples {
  return Float32Array.from({ length: seconds * RATE * 2 }, (_, i) => at((i >> 1) / RATE));
}

/** A beep of 20 ms every quarter of a second. */
const beeps = sound(4, (second) => (second % 0.25 < 0.02 ? Math.sin(second * 6000) : 0));

/** A slow kill: a ramp, the kill, a ramp, in several constant speeds; then twice the speed. */
const PIECES = [
  [0, 1, 1],
  [1, 1.2, 0.25],
  [1.2, 1.4, 0.4],
  [1.4, 2, 2],
  [2, 2.2, 0.4],
  [2.2, 3, 0.8],
  [3, 4, 0.5],
].map(([fromSeconds = 0, toSeconds = 0, seconds = 0]) => ({ fromSeconds, toSeconds, seconds }));

/** Seconds at which a beep begins. */
function startsOf(out: Float32Array): number[] {
  const starts: number[] = [];
  for (let i = 0, quiet = RATE; i < out.length / 2; i++) {
    if (Math.abs(out[i * 2] ?? 0) < 0.3) quiet++;
    else {
      if (quiet > 0.02 * RATE) starts.push(i / RATE);
      quiet = 0;
    }
  }
  return starts;
}

it('plays each moment at its time, to a frame of 30 a second, and lasts to a sample', async () => {
  const out = await play(beeps, PIECES);
  expect(out.length).toBe(256_800 * 2);
  const starts = startsOf(out);
  let at = 0;
  for (const { fromSeconds, toSeconds, seconds } of PIECES) {
    for (let beep = Math.ceil(fromSeconds * 4) / 4; beep < toSeconds - 0.05; beep += 0.25) {
      const expected = at + ((beep - fromSeconds) * seconds) / (toSeconds - fromSeconds);
      expect(Math.min(...starts.map((start) => Math.abs(start - expected)))).toBeLessThan(1 / 30);
    }
    at += seconds;
  }
});

it('does not change sound at its own speed', async () => {
  const out = await play(beeps, [{ fromSeconds: 0.5, toSeconds: 2, seconds: 1.5 }]);
  const expected = beeps.subarray(0.5 * RATE * 2, 2 * RATE * 2);
  expect(out.every((value, i) => Math.abs(value - (expected[i] ?? 0)) < 1e-6)).toBe(true);
});

it('is silent where the file has ended', async () => {
  const out = await play(beeps.subarray(0, RATE), [{ fromSeconds: 0, toSeconds: 1, seconds: 2 }]);
  expect(out.subarray(2.2 * RATE).every((value) => value === 0)).toBe(true);
});

/** Three seconds of the game, with a kill in the middle. */
const shot = buildShot({ kills: [buildKill({ tick: 160 })] });
const match = { ...buildMatch(), endsRound: () => false };
const constant = (speed: number) => ({ ...shot, speeds: [{ tick: 64, speed }] });

it.each([
  ['a slow kill', { ...shot, speeds: slowKills(match, shot, 0.3).speeds }, 0.025],
  ['0.1 of the speed', constant(0.1), 0.1],
  ['four times the speed', constant(4), 0.025],
])(
  'plays the film of a shot as long as its frames, without a gap, and each moment at its time: %s',
  async (_, cut, close) => {
    const seconds = createClipClock([cut], 64, 30).frameCount / 30;
    const pieces = soundPieces(cut, cut.startTick, 64);
    expect(secondsOf(pieces)).toBeCloseTo(secondAt(cut, cut.endTick, 64), 9);
    for (const [i, { fromSeconds }] of pieces.entries()) expect(fromSeconds).toBe(pieces[i - 1]?.toSeconds ?? 0);
    const out = await play(
      sound(4, (second) => Math.sin(second * 2764)),
      pieces,
      seconds,
    );
    expect(out.length).toBe(Math.round(seconds * RATE) * 2);
    for (let at = 0; at + 480 <= out.length; at += 480) {
      expect(out.subarray(at, at + 480).reduce((most, value) => Math.max(most, value), 0)).toBeGreaterThan(0.9);
    }
    const long = sound(4, (second) => (second % 0.25 < 0.1 ? Math.sin(second * 2764) : 0));
    const starts = startsOf(await play(long, pieces, seconds));
    for (let beep = 0.25; beep < 2.9; beep += 0.25) {
      const expected = secondAt(cut, cut.startTick + beep * 64, 64);
      expect(Math.min(...starts.map((start) => Math.abs(start - expected)))).toBeLessThan(close);
    }
  },
);
