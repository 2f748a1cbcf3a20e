import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GAME_SETTINGS } from '#render-host/capture/cs2/game/commands.ts';
import type { GameReportListener } from '#render-host/capture/cs2/game/game-state.ts';
import { systemTimers } from '#render-host/capture/cs2/game/timers.ts';
import { createFilmEncoder } from '#render-host/capture/cs2/plugin/film-encoder.ts';
import { createFilmedTake } from '#render-host/capture/cs2/plugin/filmed-take.ts';
import { commandsBefore, markedTick, planActions } from '#render-host/capture/cs2/plugin/plan-actions.ts';
import type { CameraTarget } from '#render-host/capture/cs2/recording/camera-keeper.ts';
import { buildOptions, buildShot } from '../../../builders.ts';

const MATCH = { tickRate: 64, lastTick: 5000 };

function take(startTick: number, endTick: number, name = 'film') {
  return { recorded: { shot: buildShot({ startTick, endTick }), startTick, endTick, slot: 7 }, name };
}

function ticksOf(startTick: number, endTick: number, fps: number, command: string | RegExp): number[] {
  const [sequence] = planActions([take(startTick, endTick)], { options: buildOptions({ fps }), match: MATCH });
  const isIt = (cmd: string) => (typeof command === 'string' ? cmd === command : command.test(cmd));
  return (sequence?.actions ?? []).filter(({ cmd }) => isIt(cmd)).map(({ tick }) => tick);
}

describe('the plugin’s actions for a shot', () => {
  it.each([10, 30, 60, 120])('repeat commands in the film on as many ticks as a frame skips, at %i a second', (fps) => {
    const step = 64 / fps;
    const ends = ticksOf(1000, 1192, fps, 'endmovie');
    // Whatever ticks frames hit, one of these is among them.
    expect(ends).toEqual(Array.from({ length: Math.ceil(step) }, (_, i) => 1194 + i));
    const marks = ticksOf(1000, 1192, fps, /^echo /);
    expect(marks.slice(0, Math.ceil(step))).toEqual(Array.from({ length: Math.ceil(step) }, (_, i) => 1016 + i));
  });

  it('use frames of half a tick before the film, so that its first tick is recorded', () => {
    expect(ticksOf(1000, 1192, 30, 'host_framerate 128').filter((tick) => tick < 1000)).toContain(96);
    expect(ticksOf(1000, 1192, 30, 'host_framerate 30')).toEqual([1000]);
    expect(ticksOf(1000, 1192, 30, 'startmovie film')).toEqual([1000]);
  });

  it('include a seek to a second before the shot, unless that is at the start of the demo', () => {
    expect(ticksOf(1000, 1192, 30, 'demo_gototick 935 0 0')).toEqual([96, 97, 98, 100, 104, 112]);
    // A seek may end paused. Then only the tick that it ends on is played.
    expect(ticksOf(1000, 1192, 30, 'demo_resume')).toContain(935);
    expect(ticksOf(144, 300, 30, /^demo_gototick/)).toEqual([]);
    expect(Math.min(...ticksOf(144, 300, 30, /./))).toBe(96);
  });

  it('end before the game closes the demo, after the pause in which the camera is checked', () => {
    for (const fps of [10, 30, 120]) {
      const [quit = 0] = ticksOf(4800, 4984, fps, 'quit');
      const pause = ticksOf(4800, 4984, fps, 'pause_playback').at(-1) ?? Infinity;
      expect(quit).toBeGreaterThan(pause);
      expect(quit).toBeLessThan(5000);
    }
    expect(ticksOf(1000, 1192, 30, 'quit')).toEqual([1256, 1257]);
  });

  it('continue with the next shot, and end the game after the last one', () => {
    const takes = [take(1000, 1192, 'a'), take(500, 600, 'b')];
    const sequences = planActions(takes, { options: buildOptions({ fps: 30 }), match: MATCH });
    const last = sequences.map(({ actions }) => actions.at(-1)?.cmd);
    expect(last).toEqual(['go_to_next_sequence', 'quit']);
    expect(sequences[0]?.actions.filter(({ cmd }) => cmd === 'quit')).toEqual([]);
  });

  it('have all settings and the clip’s options before the film', () => {
    const options = buildOptions({ fps: 30, xray: true, ownKillfeed: true, onlyDeathnotices: false });
    const [sequence] = planActions([take(1000, 1192)], { options, match: MATCH });
    if (sequence === undefined) throw new Error('no sequence');
    const before = commandsBefore(sequence);
    const wanted = [
      ...[...GAME_SETTINGS, 'spec_show_xray 1', 'cl_draw_only_deathnotices 0', 'cl_drawhud_force_deathnotices -1'],
      ...['spec_mode 1', 'spec_player 7', 'host_framerate 128', 'host_framerate 30'],
    ];
    expect(wanted.filter((command) => !before.has(command))).toEqual([]);
    expect(before.has('pause_playback')).toBe(false);
    expect(before.has('startmovie film')).toBe(false);
  });
});

it('a marker has its tick, and no other command is one', () => {
  expect(markedTick('echo tickreel.tick.1016')).toBe(1016);
  for (const other of ['echo tickreel.tick.', 'say echo tickreel.tick.7', 'echo tickreelxtick.7', 'quit'])
    expect(markedTick(other)).toBe(null);
});

function filming(folder: string, target: CameraTarget | null) {
  const place = { folder, name: 'film' };
  const encoder = createFilmEncoder({ ...place, ffmpegPath: '', fps: 30, codec: '', outPath: join(folder, 'video') });
  const before = new Set(['voice_modenable 0', 'host_framerate 30']);
  const rest = { sounds: [folder], encoder, target, timers: systemTimers, onTick: () => {} };
  return createFilmedTake({ ...take(1000, 1192), ...place, before, ...rest });
}

it.each([true, false])(
  'a film whose first pictures had no report is faulty, whoever is reported later: %s',
  async (isLate) => {
    const him = '76561198000000007';
    const filmed = filming('/nowhere', { steamId: him, commands: [], isAlive: () => true });
    const onReport = (listener: GameReportListener) => {
      // The heartbeat while the pause before the film is read.
      listener(him, 100);
      return () => {};
    };
    filmed.paused({ onReport, last: () => him, since: () => 100 }, isLate);
    for (const command of ['startmovie film', 'endmovie']) filmed.ran(command);
    expect((await filmed.finish()).camera).toEqual({ verdict: 'held', drifts: [], isReported: !isLate });
  },
);

it.each([
  ['before the log was read that tells of the pause, was seen before the film', 98, []],
  ['since then, may have been in the film', 100, [{ steamId: null, ticks: 1 }]],
])('what is reported late, of a second %s', async (_when, second, drifts) => {
  const him = '76561198000000007';
  const filmed = filming('/nowhere', { steamId: him, commands: [], isAlive: () => true });
  const onReport = (listener: GameReportListener) => {
    listener(null, second);
    listener(him, 101);
    return () => {};
  };
  filmed.paused({ onReport, last: () => him, since: () => 100 }, false);
  expect((await filmed.finish()).camera?.drifts).toEqual(drifts);
});

it('a film that began before the plugin had sent all commands is faulty, whatever it looks like', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'film-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const film = (...said: readonly string[]) => {
    const filmed = filming(folder, null);
    for (const command of said) filmed.ran(command);
    return filmed.finish();
  };
  const all = ['voice_modenable 0', 'host_framerate 30', 'startmovie film', 'endmovie'];
  expect(await film(...all)).toMatchObject({ footage: 'the game recorded nothing' });
  for (const lost of all.slice(0, 2)) {
    const told = all.filter((command) => command !== lost);
    expect(await film(...told, lost)).toMatchObject({ footage: `the plugin missed the tick of “${lost}”` });
  }
});
