import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AAC_ARGS } from '#render-host/encode/encode-clip.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { type FinishInput, finishSound, type Music } from '#render-host/sound/finish-sound.ts';

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
