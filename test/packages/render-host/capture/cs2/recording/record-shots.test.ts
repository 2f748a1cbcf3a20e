import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMANDS } from '#render-host/capture/cs2/game/commands.ts';
import { writeTestDemo } from '#test/packages/render-host/capture/cs2/game-setup.ts';
import { expectTicks } from '#test/packages/render-host/capture/cs2/pictures.ts';
import { buildShot } from '../../../builders.ts';
import { demo, expectFailure, faults, film, GIB, messages, ONE, OPTIONS, SHOTS } from '../film.ts';

describe('a recording', () => {
  it('has every frame of every shot at its tick, from its player’s view, with sound, by the commands of the table', async () => {
    const progress: number[] = [];
    const { setup, result, warnings, close } = await film({ onProgress: (fraction) => progress.push(fraction) });
    const recorded = await result;
    await expectTicks(recorded, demo.match, SHOTS, OPTIONS);
    if (!recorded.ok) return;
    const path = expect.stringMatching(/audio\.wav$/);
    expect(recorded.sound).toEqual(Array(2).fill({ path, delaySeconds: 0, seconds: 3 }));
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(warnings).toEqual([]);
    await close();
    expect(await setup.isGameRunning()).toBe(false);
    expect(await setup.leftovers()).toEqual([]);
    const commands = await setup.commands();
    expect(commands.at(-1)).toBe('quit');

    const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const rows = COMMANDS.filter(({ by }) => by !== 'plugin');
    const forms = rows.map(({ form }) => new RegExp(`^${escaped(form).replaceAll(/<[^>]+>/g, '.+')}$`));
    const inner = (line: string) => /^mirv_cmd addAtTick [\d.]+ "(.*)"$/.exec(line)?.[1]?.split('; ') ?? [];
    const sent = commands.flatMap((line) => [line, ...inner(line)]);
    expect(sent.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
    const unused = rows.filter((_, i) => !sent.some((line) => forms[i]?.test(line))).map(({ form }) => form);
    expect(unused).toEqual([]);
  });

  it('of a long shot sends no more at once than the game takes', async () => {
    const { match, path: demoPath } = await writeTestDemo({ lastTick: 3200 });
    const shots = [buildShot({ pov: 2, startTick: 300, endTick: 3000 })];
    const { result } = await film({ match, demoPath, shots });
    await expectTicks(await result, match, shots, OPTIONS);
  });

  it('goes where a seek lands paused, and where it lands playing', async () => {
    const { result } = await film({ ...ONE, modes: 'lands-paused' });
    await expectTicks(await result, demo.match, ONE.shots, OPTIONS);
  });

  it('shows a player who sits elsewhere by then', async () => {
    const shots = [
      buildShot({ pov: demo.mover, startTick: 300, endTick: 364 }),
      buildShot({ pov: demo.mover, startTick: 1200, endTick: 1264 }),
    ];
    const { result } = await film({ shots });
    await expectTicks(await result, demo.match, shots, OPTIONS);
  });

  it.each([false, true])(
    'is refused of a player who changes his seat amid the shot (on Linux: %s)',
    async (isLinux) => {
      const shots = [...ONE.shots, buildShot({ pov: demo.mover, startTick: 690, endTick: 816 })];
      const { setup, result } = await film({ isLinux, shots });
      const detail = 'shot 2: the player changes his slot amid it';
      expect(await result).toMatchObject({ ok: false, code: 'render_failed', detail });
      await expect(setup.events()).rejects.toThrow();
    },
  );

  it.each([false, true])(
    'is another host’s of the player whose account is signed in here (on Linux: %s)',
    async (isLinux) => {
      const signedIn = demo.match.players[SHOTS[1]?.pov ?? 0]?.steamId;
      const { setup, result } = await film({ isLinux, signedIn });
      const detail = `${signedIn} is signed in to Steam here, and the game does not show its own player`;
      expect(await result).toEqual({ ok: false, code: 'cs2_unavailable', detail, ownMatch: true });
      await expect(setup.events()).rejects.toThrow();
      const other = await film({ ...ONE, isLinux, signedIn });
      await expectTicks(await other.result, demo.match, ONE.shots, OPTIONS);
    },
  );

  it('asks for the demo once more when it does not play', async () => {
    const { timers, result, warnings } = await film({ ...ONE, modes: 'plays-when-asked-twice' });
    expect(await timers.expire('playback')).toBe(120_000);
    expect(await result).toMatchObject({ ok: true });
    expect(messages(warnings)).toEqual(['the demo does not play; asking for it again']);
  });

  it('is filmed at more frames for slow motion, and its sound is told the speeds', async () => {
    const speeds = [
      ...[
        { tick: 332, speed: 1 },
        { tick: 348, speed: 0.25 },
      ],
      ...[
        { tick: 364, speed: 0.25 },
        { tick: 380, speed: 1 },
      ],
    ];
    const shots = [buildShot({ pov: 3, startTick: 300, endTick: 412, speeds })];
    const { setup, result } = await film({ shots });
    const recorded = await result;
    await expectTicks(recorded, demo.match, shots, OPTIONS, 40);
    expect(await setup.commands()).toContain('mirv_streams record fps 40');
    if (!recorded.ok) return;
    const [slow] = recorded.sound ?? [];
    expect(slow?.pieces).toHaveLength(9);
    let end = 0;
    for (const { fromSeconds, toSeconds } of slow?.pieces ?? []) {
      expect(fromSeconds).toBeCloseTo(end, 9);
      end = toSeconds;
    }
    expect(end).toBe(112 / 64);
    expect(slow?.pieces?.[4]).toEqual({ fromSeconds: 0.75, toSeconds: 1, seconds: expect.closeTo(1, 9) });
    const played = slow?.pieces?.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(Math.abs((played ?? 0) - (slow?.seconds ?? 0))).toBeLessThan(1 / 20);
  });

  it.each([false, true])(
    'shows a victim until the death, and who is reported after it does not count (on Linux: %s)',
    async (isLinux) => {
      const kills = [{ tick: 640, attacker: 2, victim: 7 }];
      const { match, path: demoPath } = await writeTestDemo({ kills });
      const shots = [544, 632].map((startTick) => buildShot({ pov: 7, subject: 2, startTick, endTick: 704 }));
      const { result, warnings } = await film({ isLinux, match, demoPath, shots });
      await expectTicks(await result, match, shots, OPTIONS);
      expect(warnings).toEqual([]);
    },
  );

  it('repeats the last frame where a recorder lost one', async () => {
    const { result } = await film({ ...ONE, modes: 'loses-a-frame' });
    const recorded = await result;
    if (!recorded.ok) throw new Error(recorded.detail);
    let frames = 0;
    for await (const _ of recorded.source.frames(new AbortController().signal)) frames++;
    expect(frames).toBe(30);
    expect(await recorded.source.frame(29)).toHaveLength(160 * 90 * 4);
  });
});

/** `inspect-take.test.ts` has all faults of a take. */
describe('a faulty take is recorded again, and never used', () => {
  it.each([
    ['black', /pictures are black/],
    ['no-footage', /sound without pictures/],
    ['sound-missing', /recorded no sound/],
    // The game ignores `host_framerate`.
    ['stays-hidden', /more than \d+ frames instead of 30: its speed is another one/],
  ])('%s', async (modes, fault) => {
    const { setup, result, warnings } = await film({ ...ONE, modes });
    await expectFailure(setup, result, 'cs2_unavailable', fault);
    expect(faults(warnings)).toHaveLength(2);
    expect((await setup.events()).filter((event) => event.startsWith('take'))).toHaveLength(3);
  });
});

describe('the camera', () => {
  it('that drifts makes the take faulty: the log says whom it showed, and the shot is recorded again', async () => {
    const { result, warnings } = await film({ ...ONE, modes: 'drifts-once' });
    await expectTicks(await result, demo.match, ONE.shots, OPTIONS);
    expect(messages(warnings)).toEqual([
      'the camera showed somebody else',
      'the take is faulty; recording the shot again',
    ]);
    expect(warnings[0]?.fields).toMatchObject({ shot: 0, drifts: [{ ticks: expect.any(Number) }] });
  });

  it('that a seek leaves on the player, and that wanders off before it is held, has not drifted', async () => {
    const shots = [400, 900].map((startTick) => buildShot({ pov: 2, startTick, endTick: startTick + 64 }));
    // Long enough that the report of the player after the seek is of a later second than the seek.
    const { result, warnings } = await film({ shots, modes: 'stays', pauses: { rest: 100 } });
    await expectTicks(await result, demo.match, shots, OPTIONS);
    expect(warnings).toEqual([]);
  });

  it('that drifts in every take is render_failed', async () => {
    const { setup, result } = await film({ ...ONE, modes: 'drifts' });
    await expectFailure(setup, result, 'render_failed', /camera left the player/);
  });

  it('that never was on the player is render_failed', async () => {
    const { setup, timers, result } = await film({ modes: 'wrong-player' });
    let seeks = 0;
    for (let take = 0; take < 3; take++) {
      // The camera is set again upon a report.
      await vi.waitFor(
        async () => {
          const sent = (await setup.commands()).join('\n').split('demo_gototick');
          expect(sent.length).toBeGreaterThan(seeks + 1);
          expect(sent.at(-1)?.split('\n')).toContain('spec_mode 1');
          seeks = sent.length - 1;
        },
        { timeout: 60_000, interval: 10 },
      );
      expect(await timers.expire('game_state')).toBe(5000);
    }
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
  it('that kills the game is demo_incompatible', async () => {
    const { setup, result } = await film({ modes: 'no-baseline' });
    await expectFailure(setup, result, 'demo_incompatible', /GetClassBaseline/);
  });

  it('newer than the game is demo_incompatible, and the game is not started for it', async () => {
    const { setup, result } = await film({ version: '1.41.5.9' });
    expect(await result).toMatchObject({
      ok: false,
      code: 'demo_incompatible',
      detail: /14160, newer than .*1\.41\.5\.9/,
      facts: { demo_patch: 14160, game_build: '1.41.5.9' },
    });
    await expect(setup.commands()).rejects.toThrow();
  });

  it('that carries console commands is played without them', async () => {
    const hostile = await writeTestDemo({ command: 'quit; rcon_password hunter2' });
    const { result, warnings } = await film({ ...ONE, match: hostile.match, demoPath: hostile.path });
    await expectTicks(await result, hostile.match, ONE.shots, OPTIONS);
    expect(warnings).toEqual([
      {
        fields: { stripped: { DEM_ConsoleCmd: 1 } },
        message: expect.stringContaining('messages that the game will not see'),
      },
    ]);
  });

  it('that cannot be searched for them is demo_incompatible, and the game is not started for it', async () => {
    const broken = await writeTestDemo({ brokenPacket: true });
    const { setup, result } = await film({ demoPath: broken.path });
    expect(await result).toEqual({
      ok: false,
      code: 'demo_incompatible',
      detail: expect.stringMatching(/searched for messages that the game must not see/),
    });
    await expect(setup.commands()).rejects.toThrow();
  });
});
