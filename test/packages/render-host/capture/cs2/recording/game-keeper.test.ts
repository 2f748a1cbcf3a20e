import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import type { HlaeSettings } from '#render-host/capture/cs2/game/launch-args.ts';
import { createGameKeeper } from '#render-host/capture/cs2/recording/game-keeper.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { wrongFrames } from '#test/packages/render-host/capture/cs2/pictures.ts';
import { buildOptions, buildShot } from '../../../builders.ts';
import { setUpGame, type TestDemo, writeTestDemo } from '../game-setup.ts';
import { createTestTimers } from '../test-timers.ts';

let ffmpeg: Ffmpeg;
let demo: TestDemo;
let other: TestDemo;
beforeAll(async () => {
  ffmpeg = await findFfmpeg(process.env);
  [demo, other] = [await writeTestDemo(), await writeTestDemo({ lastTick: 1300 })];
});

/** Returns a host that makes clips in order. Each resolves with its code. */
async function host(modes = '', overrides: Partial<HlaeSettings> = {}) {
  const setup = await setUpGame(modes);
  const restarts: unknown[] = [];
  const log = { info: ({ reason }: { reason?: unknown }) => void restarts.push(reason), warn: () => {} };
  const settings = { ...setup.settings, ...overrides };
  const timers = createTestTimers();
  const free = async () => 100 * 1024 ** 3;
  const { capture, close } = createCs2Capture({ settings, folder: setup.folder, ffmpeg, log, timers, free });
  onTestFinished(close);
  let jobs = 0;
  const clip = async ({ match, path }: TestDemo, width = 160, startTick = 400) => {
    const shots = [buildShot({ pov: jobs % 10, startTick, endTick: startTick + 64 })];
    const options = buildOptions({ fps: 30, width, height: 90 });
    const workDir = join(setup.workDir, `${jobs++}`);
    await mkdir(workDir);
    const result = await capture({
      match,
      shots,
      options,
      demoPath: path,
      workDir,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    if (result.ok) expect(await wrongFrames(result, match, shots, options)).toEqual([]);
    await rm(workDir, { recursive: true });
    if (result.ok) return 'ok';
    const { code, crashedLoading } = result;
    return crashedLoading ? `crashed, ${crashedLoading.hasRecorded ? 'by the demo' : 'perhaps by itself'}` : code;
  };
  const counts = async () => {
    const events = await setup.events();
    return ['start', 'load'].map((event) => events.filter((line) => line.startsWith(event)).length);
  };
  return { setup, clip, counts, restarts, close, timers };
}

describe('a game stays up between clips', () => {
  it('of one demo, loaded once, goes back to where the next clip is, and ends after ten minutes without one', async () => {
    const { clip, counts, setup, timers, close } = await host();
    for (const startTick of [900, 300, 900]) expect(await clip(demo, 160, startTick)).toBe('ok');
    expect(await counts()).toEqual([1, 1]);
    expect((await setup.events()).filter((event) => event.startsWith('seek back')).length).toBeGreaterThan(0);
    expect(await timers.expire('idle')).toBe(600_000);
    await close();
    expect(await setup.isGameRunning()).toBe(false);
    expect((await readdir(setup.folder)).filter((name) => name.endsWith('.dem'))).toEqual([]);
    expect(await clip(demo)).toBe('ok');
  });

  it('of two demos: each is loaded when its turn comes, from a file of the game’s own', async () => {
    const { clip, counts, setup } = await host();
    for (const one of [demo, other, demo]) expect(await clip(one)).toBe('ok');
    expect(await counts()).toEqual([1, 3]);
    expect((await readdir(setup.folder)).filter((name) => name.endsWith('.dem'))).toHaveLength(1);
  });
});

describe('a game is restarted', () => {
  it('after so many jobs, for another size, and once it has been updated', async () => {
    const { clip, counts, restarts, setup } = await host('', { jobsPerStart: 2 });
    for (const width of [160, 160, 160, 320]) expect(await clip(demo, width)).toBe('ok');
    expect(restarts).toEqual(['it has served 2 jobs', 'its build or its size is another']);
    await writeFile(join(setup.settings.gameDir, 'game/csgo/steam.inf'), 'PatchVersion=1.41.6.3\n');
    expect(await clip(demo, 320)).toBe('ok');
    expect(restarts.slice(2)).toEqual(['its build or its size is another']);
    expect(await counts()).toEqual([4, 4]);
  });

  it('once it has grown since it first played', async () => {
    const { settings, folder } = await setUpGame('grows');
    const restarts: unknown[] = [];
    const log = { info: ({ reason }: { reason?: unknown }) => void restarts.push(reason), warn: () => {} };
    const keeper = createGameKeeper({ settings, folder, log, timers: createTestTimers(), memoryGrowth: 48 << 20 });
    onTestFinished(keeper.close);
    const options = { width: 160, height: 90 };
    const signal = new AbortController().signal;
    const play = async ({ path }: TestDemo, demoId: string) =>
      keeper.release(await keeper.open({ options, signal, build: '1', demoPath: path, demoId }));
    await play(demo, 'a');
    await play(demo, 'a');
    await play(other, 'b');
    expect(restarts).toEqual([]);
    await play(other, 'b');
    expect(restarts).toEqual([expect.stringMatching(/^it has grown by \d+ MiB$/)]);
  });

  it('once a take was faulty, even if the next one was good', async () => {
    const { clip, setup, counts } = await host('drifts-once');
    expect(await clip(demo)).toBe('ok');
    expect(await setup.isGameRunning()).toBe(false);
    expect(await clip(demo)).toBe('ok');
    expect((await counts())[0]).toBe(2);
  });

  it('after a crash', async () => {
    const { clip, counts } = await host('crash');
    expect([await clip(demo), await clip(demo)]).toEqual(['cs2_unavailable', 'cs2_unavailable']);
    expect((await counts())[0]).toBe(2);
  });

  it('after a demo crashed it at loading: it says whether this build has recorded, and refuses the demo after another one', async () => {
    const { clip, counts, setup } = await host('crashes-on=1600');
    const clips = async (...demos: TestDemo[]) => {
      const codes: string[] = [];
      for (const one of demos) codes.push(await clip(one));
      return codes;
    };
    const named = 'crashed, by the demo';
    expect(await clips(other, demo, demo, other, demo)).toEqual(['ok', named, named, 'ok', 'demo_incompatible']);
    await writeFile(join(setup.settings.gameDir, 'game/csgo/steam.inf'), 'PatchVersion=1.41.6.3\n');
    expect(await clips(demo, other, demo)).toEqual(['crashed, perhaps by itself', 'ok', 'demo_incompatible']);
    expect(await counts()).toEqual([5, 8]);
  });
});
