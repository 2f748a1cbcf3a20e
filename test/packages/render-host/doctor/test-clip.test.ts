import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import { makeTestClip } from '#render-host/record-test-clip.ts';
import { setUpGame } from '../capture/cs2/game-setup.ts';
import { createTestTimers } from '../capture/cs2/test-timers.ts';

/** A match whose only highlight is a kill. Until its clip ends, the fake game's squares under the killfeed stay. */
const KNIFE_KILL = composeMatch({
  rounds: [{ startTick: 10, freezeEndTick: 20 }],
  kills: [{ tick: 600, attacker: 2, victim: 7, weapon: 'knife' }],
  lastTick: 1200,
});

const log = { info: () => {}, warn: () => {} };
let ffmpeg: Ffmpeg;
beforeAll(async () => {
  ffmpeg = await findFfmpeg(process.env);
});

async function clip(capture: Capture, demoPath: string | null = null, killfeed = false) {
  const workDir = await mkdtemp(join(tmpdir(), 'doctor-clip-'));
  onTestFinished(() => rm(workDir, { recursive: true }));
  const signal = new AbortController().signal;
  const finding = await makeTestClip({ workDir, ffmpeg, capture, demoPath, height: 360, signal, killfeed });
  return { finding, files: await readdir(workDir), path: join(workDir, 'doctor.mp4') };
}

async function game(modes: string): Promise<Capture> {
  const { settings, folder } = await setUpGame(modes);
  const { capture, close } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
  onTestFinished(close);
  return capture;
}

it('the doctor makes a clip of a demo that was made up, with the radar', async () => {
  const { finding, files, path } = await clip(createRadarCapture({ sound: true }));
  expect(finding).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^120 frames of \S+ in .*doctor\.mp4$/),
  });
  expect(files).toEqual(['doctor.mp4']);
  expect(await readMp4(path)).toMatchObject({ hasAudio: true, video: { samples: 120, width: 640 } });
});

it('and with the game; a faulty recording is reported, and leaves nothing', async () => {
  expect((await clip(await game(''))).finding).toMatchObject({ check: 'test clip', status: 'ok' });
  const { finding, files } = await clip(await game('crash'));
  expect(finding).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/cs2_unavailable.*ended while recording/),
  });
  expect(files).toEqual([]);
});

it('looks at the pictures itself, too', async () => {
  const radar = createRadarCapture({ sound: false });
  const dark: Capture = async (request) => {
    const captured = await radar(request);
    if (!captured.ok) return captured;
    const { source } = captured;
    const frames = async function* (signal: AbortSignal) {
      for await (const frame of source.frames(signal)) yield frame.fill(0);
    };
    return { ...captured, source: { ...source, frames } };
  };
  expect((await clip(dark)).finding).toMatchObject({ status: 'fail', detail: '120 of 120 frames are black' });
});

it('says of a demo that is none that another one is wanted', async () => {
  const { finding } = await clip(createRadarCapture({ sound: false }), import.meta.filename);
  expect(finding).toMatchObject({ status: 'fail', remedy: expect.stringContaining('--record FILE') });
});

describe('the killfeed of the game', () => {
  /** Returns the finding on a recording by a game with such faults. */
  async function findingOf(modes: string) {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-killfeed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const demoPath = join(folder, 'kill.dem');
    await writeDemoFile(KNIFE_KILL, demoPath);
    return (await clip(await game(modes), demoPath, true)).finding;
  }

  it('shows the player’s kill', async () => {
    expect(await findingOf('')).toMatchObject({ status: 'ok', detail: expect.stringContaining('killfeed seen') });
  });

  it.each(['no-killfeed', 'killfeed-late', 'killfeed-frozen'])('%s fails', async (modes) => {
    const detail = 'the player’s kills do not show in the killfeed at the top right';
    expect(await findingOf(modes)).toMatchObject({ status: 'fail', detail });
  });
});
