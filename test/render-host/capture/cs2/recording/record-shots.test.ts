import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CaptureRequest, CaptureResult } from '../../../../../render-host/capture/capture.ts';
import { createCs2Capture } from '../../../../../render-host/capture/cs2/cs2-capture.ts';
import { COMMANDS } from '../../../../../render-host/capture/cs2/game/commands.ts';
import { type Ffmpeg, findFfmpeg } from '../../../../../render-host/encode/ffmpeg.ts';
import { buildOptions, buildShot } from '../../../builders.ts';
import { expectTicks } from '../frame-ticks.ts';
import { type GameSetup, setUpGame } from '../game-setup.ts';
import { type TestDemo, writeTestDemo } from '../test-demo.ts';
import { createTestTimers } from '../test-timers.ts';

const GIB = 1024 ** 3;
let ffmpeg: Ffmpeg;
let demo: TestDemo;
beforeAll(async () => {
  ffmpeg = await findFfmpeg({});
  demo = await writeTestDemo();
});

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
  const setup = await setUpGame(modes, version);
  const timers = createTestTimers();
  const warnings: { fields: object; message: string }[] = [];
  const log = { info: () => {}, warn: (fields: object, message: string) => void warnings.push({ fields, message }) };
  const { settings, folder } = setup;
  const { capture, close } = createCs2Capture({ settings, folder, ffmpeg, log, timers, free });
  onTestFinished(close);
  const result = capture({
    match: demo.match,
    shots: SHOTS,
    options: buildOptions({ fps: 10 }),
    demoPath: demo.path,
    workDir: setup.workDir,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...request,
  });
  return { setup, timers, warnings, result, close, capture };
}

const ONE = { shots: SHOTS.slice(0, 1) };
const messages = (warnings: readonly { message: string }[]) => warnings.map(({ message }) => message);
const faults = (warnings: readonly { fields: object }[]) =>
  warnings.flatMap(({ fields }) => ('fault' in fields ? [fields.fault] : []));

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
  it('has every frame of every shot at its tick, from its player’s view, with sound', async () => {
    const progress: number[] = [];
    const { setup, result, warnings, close } = await film({ onProgress: (fraction) => progress.push(fraction) });
    const recorded = await result;
    await expectTicks(recorded, demo.match, SHOTS, buildOptions({ fps: 10 }));
    if (!recorded.ok) return;
    expect(recorded.sound).toMatchObject([{ seconds: 3 }, { seconds: 3 }]);
    expect(recorded.sound?.every(({ path }) => path?.endsWith('audio.wav'))).toBe(true);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(warnings).toEqual([]);
    await close();
    expect(await setup.isGameRunning()).toBe(false);
    expect(await setup.leftovers()).toEqual([]);
    expect((await setup.commands()).at(-1)).toBe('quit');
  });

  it('sends nothing that the table of commands does not name', async () => {
    const { setup, result } = await film(ONE);
    expect(await result).toEqual({ ok: true, source: expect.anything(), sound: expect.anything() });
    const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const forms = COMMANDS.map(({ form }) => new RegExp(`^${escaped(form).replaceAll(/<[^>]+>/g, '.+')}$`));
    const inner = (line: string) => /^mirv_cmd addAtTick \d+ "(.*)"$/.exec(line)?.[1]?.split('; ') ?? [];
    const sent = (await setup.commands()).flatMap((line) => [line, ...inner(line)]);
    expect(sent.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
    const unused = COMMANDS.filter((_, i) => !sent.some((line) => forms[i]?.test(line))).map(({ form }) => form);
    expect(unused).toEqual(['quit']);
  });

  it('goes where a seek lands paused, and where it lands playing', async () => {
    const { result } = await film({ ...ONE, modes: 'lands-paused' });
    await expectTicks(await result, demo.match, ONE.shots, buildOptions({ fps: 10 }));
  });

  it('shows a player who sits elsewhere by then', async () => {
    const shots = [
      buildShot({ pov: demo.mover, startTick: 300, endTick: 364 }),
      buildShot({ pov: demo.mover, startTick: 1200, endTick: 1264 }),
    ];
    const { result } = await film({ shots });
    await expectTicks(await result, demo.match, shots, buildOptions({ fps: 10 }));
  });

  it('asks for the demo once more when it does not play', async () => {
    const { timers, result, warnings } = await film({ ...ONE, modes: 'plays-when-asked-twice' });
    expect(await timers.expire('playback')).toBe(120_000);
    expect(await result).toMatchObject({ ok: true });
    expect(messages(warnings)).toEqual(['the demo does not play; asking for it again']);
  });

  it('repeats the last frame where a recorder lost one', async () => {
    const { result } = await film({ ...ONE, modes: 'loses-a-frame' });
    const recorded = await result;
    if (!recorded.ok) throw new Error(recorded.detail);
    let frames = 0;
    for await (const _ of recorded.source.frames(new AbortController().signal)) frames++;
    expect(frames).toBe(30);
    expect(await recorded.source.frame(29)).toHaveLength(640 * 360 * 4);
  });
});

describe('a take that is no good is taken again, and never shipped', () => {
  it.each([
    ['loses-half', /the take has \d+ of 30 frames/],
    ['no-footage', /sound without pictures/],
    ['wrong-size', /320×180 instead of 640×360/],
    ['sound-missing', /recorded no sound/],
    ['sound-silent', /sound is silent/],
    ['sound-short', /sound lasts/],
    ['black', /pictures are black/],
    ['frozen', /pictures stand still/],
  ])('%s', async (modes, fault) => {
    const { setup, result, warnings } = await film({ ...ONE, modes });
    await expectFailure(setup, result, 'cs2_unavailable', fault);
    expect(faults(warnings)).toHaveLength(2);
    expect((await setup.events()).filter((event) => event.startsWith('take'))).toHaveLength(3);
  });
});

describe('the camera', () => {
  it('that drifts spoils the take: it is told whom it showed, and the shot taken again', async () => {
    const { result, warnings } = await film({ ...ONE, modes: 'drifts-once' });
    await expectTicks(await result, demo.match, ONE.shots, buildOptions({ fps: 10 }));
    expect(messages(warnings)).toEqual([
      'the camera showed somebody else',
      'the take is no good; recording the shot again',
    ]);
    expect(warnings[0]?.fields).toMatchObject({ shot: 0, drifts: [{ frames: expect.any(Number) }] });
  });

  it('that drifts in every take is render_failed', async () => {
    const { setup, result } = await film({ ...ONE, modes: 'drifts' });
    await expectFailure(setup, result, 'render_failed', /camera left the player/);
  });

  it('that never was on the player is render_failed', async () => {
    const { setup, result } = await film({ modes: 'wrong-player' });
    await expectFailure(setup, result, 'render_failed', /shot 1: the camera never was on the player/);
  });

  it('of which nothing is reported is cs2_unavailable', async () => {
    const { setup, timers, result } = await film({ modes: 'no-reports' });
    for (let take = 0; take < 3; take++) expect(await timers.expire('game_state')).toBe(5000);
    await expectFailure(setup, result, 'cs2_unavailable', /reported nothing/);
  });

  it('is not checked on a player who is dead all through the shot', async () => {
    const tracks = { ...demo.match.tracks, flags: demo.match.tracks.flags.map(() => 1) };
    const { result, warnings } = await film({ ...ONE, match: { ...demo.match, tracks }, modes: 'wrong-player' });
    expect(await result).toMatchObject({ ok: true });
    expect(messages(warnings)).toEqual(['the player is dead throughout the shot; his camera is not checked']);
  });
});

describe('a game in trouble is cs2_unavailable', () => {
  it('when its launcher fails', async () => {
    const { setup, result } = await film({ modes: 'broken-launcher' });
    await expectFailure(setup, result, 'cs2_unavailable', /launcher ended with code 3/);
  });

  it('when its launcher is not there', async () => {
    const setup = await setUpGame();
    const settings = { ...setup.settings, launcher: ['/nowhere/HLAE.exe'] as const };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = setup;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const result = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /did not start/ });
  });

  it('when HLAE is too old to hold the camera', async () => {
    const setup = await setUpGame();
    const settings = { ...setup.settings, hookPath: '/elsewhere/x64/AfxHookSource2.dll' };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = setup;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const result = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /HLAE lacks .*spec_lock\.js/ });
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
    expect(await timers.expire('quit')).toBe(10_000);
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
    const other = await setUpGame();
    const settings = { ...first.setup.settings, gameStatePort: other.settings.gameStatePort };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = other;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const second = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
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
  expect(names).toContain('USRLOCALCSGO');
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

  it('that carries console commands is played without them', async () => {
    const hostile = await writeTestDemo({ command: 'quit; rcon_password hunter2' });
    const { result, warnings } = await film({ ...ONE, match: hostile.match, demoPath: hostile.path });
    await expectTicks(await result, hostile.match, ONE.shots, buildOptions({ fps: 10 }));
    expect(warnings).toEqual([
      { fields: { stripped: { DEM_ConsoleCmd: 1 } }, message: expect.stringContaining('console commands') },
    ]);
  });

  it('that cannot be searched for them is demo_incompatible, and the game is not started for it', async () => {
    const broken = await writeTestDemo({ brokenPacket: true });
    const { setup, result } = await film({ demoPath: broken.path });
    expect(await result).toMatchObject({
      ok: false,
      code: 'demo_incompatible',
      detail: /searched for console commands/,
    });
    await expect(setup.commands()).rejects.toThrow();
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
