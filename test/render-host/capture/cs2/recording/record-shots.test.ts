import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CaptureRequest, CaptureResult } from '../../../../../render-host/capture/capture.ts';
import { createCs2Capture } from '../../../../../render-host/capture/cs2/cs2-capture.ts';
import { type Ffmpeg, findFfmpeg } from '../../../../../render-host/encode/ffmpeg.ts';
import { buildMatch, buildOptions, buildShot } from '../../../builders.ts';
import { type GameSetup, setUpGame } from '../game-setup.ts';
import { createTestTimers } from '../test-timers.ts';

const GIB = 1024 ** 3;
let ffmpeg: Ffmpeg;
beforeAll(async () => {
  ffmpeg = await findFfmpeg({});
});

const match = buildMatch({ ticks: 1600, stand: () => ({ x: 0, y: 0, yaw: 0 }) });
const PLAYERS = Object.fromEntries(match.players.map(({ steamId, userId }) => [userId + 1, steamId]));
const SHOTS = [
  buildShot({ pov: 2, startTick: 900, endTick: 1092 }),
  buildShot({ pov: 3, startTick: 300, endTick: 492 }),
];

interface Setting extends Partial<CaptureRequest> {
  readonly modes?: string;
  readonly version?: string;
  readonly free?: (folder: string) => Promise<number>;
}

/** Records with the fake game; `warnings` are what the host was warned of. */
async function film({ modes, version, free = async () => 100 * GIB, ...request }: Setting = {}) {
  const setup = await setUpGame(PLAYERS, modes, version);
  const timers = createTestTimers();
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const capture = createCs2Capture({ settings: setup.settings, ffmpeg, log, timers, free });
  const result = capture({
    match,
    shots: SHOTS,
    options: buildOptions({ fps: 10 }),
    demoPath: '/demos/match.dem',
    workDir: setup.workDir,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...request,
  });
  return { setup, timers, warnings, result };
}

async function expectFailure(
  setup: GameSetup,
  result: Promise<CaptureResult>,
  code: string,
  detail: RegExp,
): Promise<void> {
  expect(await result).toEqual({ ok: false, code, detail: expect.stringMatching(detail) });
  expect(await setup.leftovers()).toEqual([]);
  expect(await setup.isGameRunning()).toBe(false);
}

describe('a recording', () => {
  it('has every frame of every shot, each from its player’s view, with sound, and leaves no game behind', async () => {
    const progress: number[] = [];
    const { setup, result, warnings } = await film({ onProgress: (fraction) => progress.push(fraction) });
    const recorded = await result;
    if (!recorded.ok) throw new Error(recorded.detail);
    expect(recorded.source.frameCount).toBe(60);
    const colors: string[] = [];
    for await (const frame of recorded.source.frames(new AbortController().signal)) {
      expect(frame).toHaveLength(640 * 360 * 4);
      colors.push([...frame.subarray(0, 3)].map((channel) => (channel > 64 ? 'x' : '-')).join(''));
    }
    // Slots 3 and 4 are olive and purple.
    expect(colors).toEqual([...Array(30).fill('xx-'), ...Array(30).fill('x-x')]);
    expect(recorded.sound).toMatchObject([{ seconds: 3 }, { seconds: 3 }]);
    expect(recorded.sound?.every(({ path }) => path?.endsWith('audio.wav'))).toBe(true);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(warnings).toEqual([]);
    expect(await setup.isGameRunning()).toBe(false);
    expect(await setup.leftovers()).toEqual([]);
    expect((await setup.commands()).at(-1)).toBe('quit');
  });

  it('asks for the demo once more when it does not play', async () => {
    const { timers, result, warnings } = await film({ modes: 'plays-when-asked-twice', shots: SHOTS.slice(0, 1) });
    expect(await timers.expire('playback')).toBe(120_000);
    expect(await result).toMatchObject({ ok: true });
    expect(warnings).toEqual(['the demo does not play; asking for it again']);
  });

  it('repeats the last frame for the few that a recorder lost', async () => {
    const { result } = await film({ modes: 'loses-frames', shots: SHOTS.slice(0, 1) });
    const recorded = await result;
    if (!recorded.ok) throw new Error(recorded.detail);
    let frames = 0;
    for await (const _ of recorded.source.frames(new AbortController().signal)) frames++;
    expect(frames).toBe(30);
    expect(await recorded.source.frame(29)).toHaveLength(640 * 360 * 4);
  });

  it('whose footage is far too short throws when its frames are read', async () => {
    const { result } = await film({ modes: 'loses-half', shots: SHOTS.slice(0, 1) });
    const recorded = await result;
    if (!recorded.ok) throw new Error(recorded.detail);
    const read = async () => {
      for await (const _ of recorded.source.frames(new AbortController().signal));
    };
    await expect(read()).rejects.toThrow('the footage has 14 of 30 frames');
  });
});

describe('the camera', () => {
  it('that drifts is set again, and the shot taken again', async () => {
    const { setup, result, warnings } = await film({ modes: 'drifts-once', shots: SHOTS.slice(0, 1) });
    expect(await result).toMatchObject({ ok: true });
    expect(warnings).toEqual(['the camera was not on the player; recording the shot again']);
    const starts = (await setup.commands()).filter((line) => line.includes('mirv_streams record start;'));
    expect(starts).toHaveLength(2);
  });

  it('that drifts in the second take too is lived with', async () => {
    const { result, warnings } = await film({ modes: 'drifts', shots: SHOTS.slice(0, 1) });
    expect(await result).toMatchObject({ ok: true });
    expect(warnings.at(-1)).toBe('the camera drifted in both takes; the second one counts');
  });

  it('that never was on the player is render_failed', async () => {
    const { setup, result } = await film({ modes: 'wrong-player' });
    await expectFailure(setup, result, 'render_failed', /never was on the player of shot 1/);
  });

  it('of which nothing is reported is cs2_unavailable', async () => {
    const { setup, timers, result } = await film({ modes: 'no-reports' });
    for (let take = 0; take < 2; take++) expect(await timers.expire('game_state')).toBe(5000);
    await expectFailure(setup, result, 'cs2_unavailable', /reported nothing/);
  });

  it('is not checked on a player who is dead all through the shot', async () => {
    const dead = buildMatch({ ticks: 1600, stand: (player) => ({ x: 0, y: 0, yaw: 0, alive: player !== 2 }) });
    const { result, warnings } = await film({ match: dead, modes: 'wrong-player', shots: SHOTS.slice(0, 1) });
    expect(await result).toMatchObject({ ok: true });
    expect(warnings).toHaveLength(1);
  });
});

describe('a game in trouble is cs2_unavailable', () => {
  it('when its launcher fails', async () => {
    const { setup, result } = await film({ modes: 'broken-launcher' });
    await expectFailure(setup, result, 'cs2_unavailable', /launcher ended with code 3/);
  });

  it('when its launcher is not there', async () => {
    const setup = await setUpGame(PLAYERS);
    const settings = { ...setup.settings, launcher: ['/nowhere/HLAE.exe'] as const };
    const capture = createCs2Capture({ settings, ffmpeg, log: { warn: () => {} }, timers: createTestTimers() });
    const result = await capture({
      ...{ match, shots: SHOTS, options: buildOptions(), demoPath: '/demos/match.dem', workDir: setup.workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /did not start/ });
  });

  it.each([['deaf'], ['mute']])('when its console is %s for two minutes', async (modes) => {
    const { setup, timers, result } = await film({ modes });
    await setup.started();
    expect(await timers.expire('console')).toBe(120_000);
    await expectFailure(setup, result, 'cs2_unavailable', /console did not answer within 120 s/);
  });

  it('when it runs without the hook', async () => {
    const { setup, result } = await film({ modes: 'no-hook' });
    await expectFailure(setup, result, 'cs2_unavailable', /without HLAE/);
  });

  it('when the demo does not play though it was asked for twice', async () => {
    const { setup, timers, result } = await film({ modes: 'never-plays' });
    await timers.expire('playback');
    await timers.expire('playback');
    await expectFailure(setup, result, 'cs2_unavailable', /asked twice/);
    expect((await setup.commands()).filter((line) => line.startsWith('playdemo'))).toHaveLength(2);
  });

  it('when a seek does not end', async () => {
    const { setup, timers, result } = await film({ modes: 'lost-seek' });
    expect(await timers.expire('seek')).toBe(180_000);
    await expectFailure(setup, result, 'cs2_unavailable', /end of a seek/);
  });

  it('when playback stands still', async () => {
    const recording = Promise.withResolvers<void>();
    const onProgress = (fraction: number): void => {
      if (fraction > 0.1) recording.resolve();
    };
    const { setup, timers, result } = await film({ modes: 'stands-still', onProgress });
    await recording.promise;
    expect(await timers.expire('tick')).toBe(60_000);
    await expectFailure(setup, result, 'cs2_unavailable', /stands still/);
  });

  it('when it crashes', async () => {
    const { setup, result } = await film({ modes: 'crash' });
    await expectFailure(setup, result, 'cs2_unavailable', /ended while recording and left cs2_2026_0401\.mdmp/);
  });

  it('when it does not end: then it is killed', async () => {
    const { setup, timers, result } = await film({ modes: 'never-plays,stubborn' });
    await timers.expire('playback');
    await timers.expire('playback');
    expect(await timers.expire('quit')).toBe(10_000);
    await expectFailure(setup, result, 'cs2_unavailable', /asked twice/);
  });

  it('when another one still runs, which is then told to quit', async () => {
    const first = await film({ modes: 'never-plays' });
    await first.timers.expire('playback');
    const settings = { ...first.setup.settings, gameStatePort: (await setUpGame(PLAYERS)).settings.gameStatePort };
    const capture = createCs2Capture({ settings, ffmpeg, log: { warn: () => {} }, timers: createTestTimers() });
    const second = await capture({
      ...{ match, shots: SHOTS, options: buildOptions(), demoPath: '/demos/match.dem', workDir: first.setup.workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(second).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /still running/ });
    expect(await first.result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /ended while recording/ });
  });
});

it('the game gets none of the host’s own variables, and so not its token', async () => {
  vi.stubEnv('TICKREEL_HOST_TOKEN', 'tr_host_secret');
  vi.stubEnv('OF_THE_MACHINE', 'yes');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { setup, result } = await film({ modes: 'incompatible' });
  await result;
  const names = (await readFile(join(setup.settings.gameDir, 'environment'), 'utf8')).split('\n');
  expect(names).toContain('OF_THE_MACHINE');
  expect(names.filter((name) => name.startsWith('TICKREEL_'))).toEqual([]);
});

describe('the disk', () => {
  it('without room for the footage keeps the game from being started', async () => {
    const { result } = await film({ free: async () => GIB });
    expect(await result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /1024 MiB free/ });
  });

  it('that runs full while recording ends the recording', async () => {
    let calls = 0;
    const { setup, result } = await film({ free: async () => (calls++ === 0 ? 100 * GIB : GIB / 4) });
    await expectFailure(setup, result, 'cs2_unavailable', /ran full while recording: 256 MiB/);
  });
});

describe('a demo', () => {
  it.each([
    ['incompatible', /REPLAY_INCOMPATIBLE/],
    ['no-baseline', /GetClassBaseline/],
  ])('that the game refuses (%s) is demo_incompatible', async (modes, detail) => {
    const { setup, result } = await film({ modes });
    await expectFailure(setup, result, 'demo_incompatible', detail);
  });

  it('newer than the game is demo_incompatible, and the game is not started for it', async () => {
    const { setup, result } = await film({ version: '1.41.5.9' });
    expect(await result).toMatchObject({
      ok: false,
      code: 'demo_incompatible',
      detail: /14160, newer than .*1\.41\.5\.9/,
    });
    await expect(setup.commands()).rejects.toThrow();
  });

  it('of which the game recorded no pictures is render_failed', async () => {
    const { setup, result } = await film({ modes: 'no-footage', shots: SHOTS.slice(0, 1) });
    await expectFailure(setup, result, 'render_failed', /no pictures/);
  });
});

describe('an aborted recording', () => {
  it.each([0, 0.1, 0.3])('ends the game and leaves nothing in its folder: after %s of it', async (from) => {
    const controller = new AbortController();
    const reason = new Error('the lease is lost');
    const onProgress = (fraction: number): void => {
      if (fraction >= from) controller.abort(reason);
    };
    const { setup, result } = await film({ signal: controller.signal, onProgress });
    if (from === 0) controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(await setup.leftovers()).toEqual([]);
    if (from > 0) expect(await setup.isGameRunning()).toBe(false);
  });
});
