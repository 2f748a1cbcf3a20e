import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { AAC_ARGS } from '#render-host/encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { Match } from '#render-host/match/match.ts';
import { finishSound } from '#render-host/sound/finish-sound.ts';
import { buildMatch, buildOptions, buildShot } from '../../builders.ts';

const run = promisify(execFile);
let folder: string;
let ffmpeg: Ffmpeg;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-radar-sound-'));
  ffmpeg = await findFfmpeg(process.env);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Measures the sound of a clip after the encoder, in LUFS and dBTP. */
async function measured(match: Match): Promise<{ loudness: number; peak: number }> {
  const signal = new AbortController().signal;
  const request = { match, shots: [buildShot()], options: buildOptions(), demoPath: '', workDir: folder, signal };
  const captured = await createRadarCapture({ sound: true })({ ...request, onProgress: () => {} });
  if (!captured.ok) throw new Error(captured.detail);
  await captured.source.close?.();
  const { sound } = captured;
  expect(sound).toMatchObject([{ seconds: 3 }]);
  const clip = { ffmpeg, sound, music: null, before: 0, seconds: 3, workDir: folder, signal };
  const path = (await finishSound(clip)) ?? '';
  const aac = join(folder, 'sound.m4a');
  await run(ffmpeg.path, ['-y', '-i', path, ...AAC_ARGS, aac]);
  const { stderr } = await run(ffmpeg.path, ['-i', aac, '-af', 'ebur128=peak=true', '-f', 'null', '-']);
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1]);
  return { loudness: number(/I:\s+(-?[\d.]+) LUFS/), peak: number(/Peak:\s+(-?[\d.]+) dBFS/) };
}

it('is at -16 LUFS in a fight, and does not clip', async () => {
  const weaponFires = Array.from({ length: 60 }, (_, i) => ({ tick: 70 + i * 3, player: i % 10, weapon: 'ak47' }));
  const { loudness, peak } = await measured(buildMatch({ weaponFires }));
  expect(Math.abs(loudness + 16)).toBeLessThan(1);
  expect(peak).toBeLessThan(-1.5);
});

it('does not clip when grenades burst beside the player', async () => {
  const kinds = ['smoke', 'fire', 'explosion', 'flash', 'decoy'] as const;
  const effects = kinds.map((kind, i) => ({
    kind,
    startTick: 70 + i * 25,
    endTick: 500,
    x: -500,
    y: -400,
    z: 0,
    flames: [],
  }));
  const { loudness, peak } = await measured(buildMatch({ effects }));
  expect(Math.abs(loudness + 16)).toBeLessThan(2.5);
  expect(peak).toBeLessThan(-1.5);
});

it('stays quiet if little is audible', async () => {
  const stand = (player: number, tick: number) => ({ x: player === 0 ? tick * 3.9 : 5000, y: player * 3000, yaw: 0 });
  const { loudness } = await measured(buildMatch({ stand }));
  expect(loudness).toBeLessThan(-22);
  expect(loudness).toBeGreaterThan(-50);
});
