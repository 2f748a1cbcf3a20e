import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import { createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import { createRenderClip, type RenderRequest } from '#render-host/pipeline/render-clip.ts';
import { NO_CARDS, PLAIN_KILLS } from '#test/support/plain-order.ts';
import { serve } from '../../download/serve.ts';
import { REFUSED } from './film.ts';
import { setUpGame } from './game-setup.ts';
import { createTestTimers } from './test-timers.ts';

const run = promisify(execFile);
const { path: ffprobe } = createRequire(import.meta.url)('@ffprobe-installer/ffprobe') as { path: string };

const SCRIPT = composeMatch({
  rounds: [{ startTick: 10, endTick: 900, winner: 'T' }],
  kills: [
    { tick: 400, attacker: 0, victim: 5 },
    { tick: 700, attacker: 0, victim: 6 },
  ],
  lastTick: 1400,
});

const ORDER: Omit<RenderOrder, 'demoUrl'> = {
  selection: {
    ...PLAIN_KILLS,
    steam64Id: SCRIPT.players[0]?.steamId ?? '',
    round: null,
    preKillPadding: 0.5,
    postKillPadding: 0.5,
  },
  fps: 5,
  resolution: 1080,
  xray: false,
  onlyDeathnotices: true,
  ownKillfeed: true,
  damageTicker: true,
  thumbnailStyle: 'none',
  watermarkImageId: null,
  ...NO_CARDS,
};

async function setUp(modes = '', filmHeight = 1440) {
  const setup = await setUpGame(modes);
  const log = { info: () => {}, warn: () => {} };
  const ffmpeg = await findFfmpeg(process.env);
  const { folder } = setup;
  const settings = { ...setup.settings, filmHeight };
  const { capture, close } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
  onTestFinished(close);
  const render = await createRenderClip({ environment: process.env, log, capture });
  const workDir = await mkdtemp(join(tmpdir(), 'render-cs2-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  const demoUrl = await serve((_request, response) => response.end(Buffer.from(encodeDemo(SCRIPT))));
  const request: RenderRequest = {
    order: { ...ORDER, demoUrl },
    workDir,
    acceptedDomains: ['*'],
    allowPrivateAddresses: true,
    signal: new AbortController().signal,
    onProgress: () => {},
  };
  return { setup, render, request, workDir, ffmpeg, close };
}

test('a clip of the game goes from a demo’s address to one video with sound, our killfeed on it, and a thumbnail', async () => {
  const { setup, render, request, workDir, ffmpeg, close } = await setUp();
  const phases: number[] = [];
  const result = await render({ ...request, onProgress: ({ progress }) => phases.push(progress) });
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  // Two shots of a second.
  expect(result).toMatchObject({
    frames: 10,
    durationSeconds: 2,
    facts: { kills: 2, players: ['Juniper'], map: 'de_mirage' },
  });
  expect((await readdir(workDir)).toSorted()).toEqual(['clip.mp4', 'thumbnail.jpg']);
  expect(phases).toEqual(phases.toSorted((a, b) => a - b));
  await close();
  expect(await setup.isGameRunning()).toBe(false);

  const fields = 'stream=codec_name,nb_read_frames,r_frame_rate,avg_frame_rate,duration';
  const args = ['-v', 'error', '-count_frames', '-show_entries', fields, '-of', 'json', result.videoPath];
  const { streams } = JSON.parse((await run(ffprobe, args)).stdout);
  expect(streams).toMatchObject([
    { codec_name: 'h264', nb_read_frames: '10', r_frame_rate: '5/1', avg_frame_rate: '5/1' },
    { codec_name: 'aac' },
  ]);
  expect(Number(streams[1].duration)).toBeCloseTo(2, 1);

  // One square of the fake game's picture. The kill is half a second into the first shot, and its row stays to the end.
  const feed = async (second: number): Promise<number> => {
    const crop = ['-vf', 'crop=200:90:1690:0', '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
    const options = { encoding: 'buffer', maxBuffer: 1 << 22 } as const;
    const { stdout } = await run(
      ffmpeg.path,
      ['-v', 'error', '-ss', `${second}`, '-i', result.videoPath, ...crop],
      options,
    );
    return Math.max(...stdout) - Math.min(...stdout);
  };
  expect(await feed(0.3)).toBeLessThan(8);
  expect(await feed(0.8)).toBeGreaterThan(100);
  expect(await feed(1.2)).toBeGreaterThan(100);
});

test('a clip of another shape is cut out of the middle of the film, with a killfeed for it', async () => {
  const { setup, render, request } = await setUp('', 720);
  const result = await render({ ...request, order: { ...request.order, aspect: '9:16', ownKillfeed: false } });
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  expect(result.facts).toMatchObject({ filmed_height: 720 });
  expect((await readMp4(result.videoPath))?.video).toMatchObject({ width: 1080, height: 1920 });
  // The game's killfeed would be cut off.
  expect(await setup.commands()).toContainEqual(expect.stringContaining('cl_drawhud_force_deathnotices -1'));
});

test('a film that is larger than the screen of the game is refused', async () => {
  const { render, request } = await setUp('', 2560);
  const result = await render({ ...request, order: { ...request.order, aspect: '9:16' } });
  const detail = expect.stringContaining('instead of 3414×1920');
  expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail });
});

test('a game that refuses the demo fails the render and leaves nothing behind', async () => {
  const { setup, render, request, workDir } = await setUp('incompatible');
  const failure = { ok: false, code: 'demo_incompatible', detail: expect.stringMatching(/REPLAY_INCOMPATIBLE/) };
  expect(await render(request)).toEqual({ ...failure, inGame: true, ...REFUSED });
  expect(await readdir(workDir)).toEqual([]);
  expect(await setup.isGameRunning()).toBe(false);
});

test('a render that is stopped while the game records ends the game and removes its footage', async () => {
  const { setup, render, request, workDir } = await setUp();
  const controller = new AbortController();
  const onProgress: RenderRequest['onProgress'] = ({ progress }) => {
    if (progress > 0.4) controller.abort(new Error('the lease is lost'));
  };
  const result = await render({ ...request, signal: controller.signal, onProgress });
  expect(result).toEqual({ ok: false, code: 'cs2_unavailable', detail: 'the render was stopped' });
  expect(await readdir(workDir)).toEqual([]);
  expect(await setup.isGameRunning()).toBe(false);
});
