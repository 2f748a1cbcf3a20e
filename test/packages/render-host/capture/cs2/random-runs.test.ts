import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '#demo-writer/script/random.ts';
import { createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import { FIRST_FILM_TICK } from '#render-host/capture/cs2/plugin/plan-actions.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildOptions, buildShot } from '../../builders.ts';
import { type GameSetup, setUpGame, setUpLinuxGame, type TestDemo, writeTestDemo } from './game-setup.ts';
import { wrongFrames } from './pictures.ts';
import { createEagerTimers } from './test-timers.ts';

/** `npx node test/soak/cli.ts recorder` asks for 500 takes, for every count of shots and for every rate; else a few of each. */
const isLong = process.env.RECORDER_TAKES !== undefined;
const TAKES = Number(process.env.RECORDER_TAKES ?? 4);
const SHOT_COUNTS = isLong ? Array.from({ length: 20 }, (_, i) => i + 1) : [3];
const RATES = process.env.RECORDER_FPS?.split(',').map(Number) ?? (isLong ? [30, 60, 120] : [120]);
const SEED = Number(process.env.RECORDER_SEED ?? process.env.MODEL_SEED);
const HOURS = 3_600_000;
const SIZE = { width: 160, height: 90 };
const GIB = 1024 ** 3;
const demos: TestDemo[] = [];
beforeAll(async () => {
  demos.push(await writeTestDemo(), await writeTestDemo({ lastTick: 1300 }));
});
const tally = new Map<string, number>();
const count = (what: string, by = 1): void => void tally.set(what, (tally.get(what) ?? 0) + by);
afterAll(() => process.stdout.write(`seed ${SEED}: ${JSON.stringify(Object.fromEntries(tally))}\n`));

type Way = 'HLAE' | 'the plugin';
const WAYS: readonly Way[] = ['HLAE', 'the plugin'];

/** Returns a host with a game. `record` is a job, and returns its error code, or what is wrong with its clip. */
async function host(way: Way, modes: string) {
  const setup = way === 'HLAE' ? await setUpGame(modes) : await setUpLinuxGame(modes);
  const ffmpeg = await findFfmpeg(process.env);
  let retakes = 0;
  const warn = (fields: object): void => {
    if (!('fault' in fields)) return;
    retakes++;
    count(`${way}, again: ${String(fields.fault).replaceAll(/\d+/g, 'n')}`);
  };
  const log = { info: () => {}, warn };
  const { settings, folder } = setup;
  const timers = createEagerTimers(() => existsSync(join(settings.gameDir, 'stuck')));
  const free = async () => 100 * GIB;
  const { capture, close } = createCs2Capture({
    settings,
    folder,
    ffmpeg,
    log,
    timers,
    free,
    findFaults: async () => [],
  });
  onTestFinished(close);
  let jobs = 0;
  const record = async ({ match, path }: TestDemo, shots: readonly Shot[], fps: number) => {
    const workDir = join(setup.workDir, `${jobs++}`);
    await mkdir(workDir);
    const options = buildOptions({ fps, ...SIZE });
    const result = await capture({
      match,
      shots,
      options,
      demoPath: path,
      workDir,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    const wrong = result.ok ? await wrongFrames(result, match, shots, options) : [];
    await rm(workDir, { recursive: true });
    return { code: result.ok ? 'ok' : result.code, wrong, detail: result.ok ? '' : result.detail };
  };
  return { setup, record, retakes: () => retakes };
}

async function countOf(setup: Pick<GameSetup, 'events'>, event: string): Promise<number> {
  return (await setup.events()).filter((line) => line.startsWith(event)).length;
}

it.each(WAYS)(
  `with %s, every frame of every shot shows its tick and its player, at ${RATES.join(', ')} frames a second`,
  async (way) => {
    const { setup, record, retakes } = await host(way, '');
    for (const fps of RATES) {
      for (const shotCount of SHOT_COUNTS) {
        const shots = Array.from({ length: shotCount }, (_, i) => {
          // Ahead and back in turn, for all players.
          const startTick = 200 + ((i * 397) % 1200);
          return buildShot({ pov: i % 10, startTick, endTick: startTick + 24 + i });
        });
        const result = await record(demos[0] as TestDemo, shots, fps);
        expect(result, `${shotCount} shots at ${fps}`).toEqual({ code: 'ok', wrong: [], detail: '' });
        count(`exact clips with ${way}`);
      }
    }
    // Six jobs and more of one demo: with HLAE one start, one load.
    const { settings } = setup;
    const jobs = RATES.length * SHOT_COUNTS.length;
    const starts = await countOf(setup, 'start');
    // A busy machine gets the game's reports late, and records a shot again in a fresh game.
    const least = settings.recorder === 'hlae' ? Math.ceil(jobs / settings.jobsPerStart) : jobs;
    expect(starts).toBeLessThanOrEqual(least + retakes());
    count(`${way}: starts for exact clips`, starts);
  },
  HOURS,
);

it.each(WAYS)(
  'with %s, whatever the game does, a job ends in a right clip or in the right code',
  async (way) => {
    const { setup, record } = await host(way, `seed=${SEED}`);
    const random = createRandom(SEED);
    for (let takes = 0; takes < TAKES; takes = await countOf(setup, 'take')) {
      const demo = random.pick(demos as [TestDemo, TestDemo]);
      const shots = Array.from({ length: random.whole(1, 3) }, () => {
        const startTick = random.whole(way === 'HLAE' ? 144 : FIRST_FILM_TICK, 1100);
        const slow = { tick: startTick + 40, speed: takes % 2 === 0 ? 0.25 : 0.6 };
        const speeds = takes % 3 === 0 ? [] : [{ tick: startTick + 20, speed: 1 }, slow];
        return buildShot({ pov: random.whole(0, 9), startTick, endTick: startTick + random.whole(64, 128), speeds });
      });
      const { code, wrong, detail } = await record(demo, shots, random.pick([30, 60, 120]));
      expect(wrong, `seed ${SEED} after ${takes} takes`).toEqual([]);
      expect(['ok', 'cs2_unavailable', 'render_failed'], detail).toContain(code);
      count(`${way}: ${[code, detail.replaceAll(/\d+/g, 'n')].filter(Boolean).join(': ')}`);
    }
    for (const event of ['start', 'load', 'seek', 'take']) count(`${way}: ${event}`, await countOf(setup, event));
  },
  HOURS,
);
