import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GAME_SETTINGS } from '#render-host/capture/cs2/game/commands.ts';
import type { GameReportListener } from '#render-host/capture/cs2/game/game-state.ts';
import { systemTimers } from '#render-host/capture/cs2/game/timers.ts';
import { createFilmEncoder } from '#render-host/capture/cs2/plugin/film-encoder.ts';
import { createFilmedTake } from '#render-host/capture/cs2/plugin/filmed-take.ts';
import {
  commandsBefore,
  FIRST_FILM_TICK,
  markedTick,
  planActions,
} from '#render-host/capture/cs2/plugin/plan-actions.ts';
import type { CameraTarget } from '#render-host/capture/cs2/recording/camera-keeper.ts';
import { buildOptions, buildShot } from '../../../builders.ts';
import { createPlayback, type Whims } from '../fake-playback.ts';

const MATCH = { tickRate: 64, lastTick: 5000 };

function take(startTick: number, endTick: number, name = 'film', fps = 30) {
  return { recorded: { shot: buildShot({ startTick, endTick }), startTick, endTick, slot: 7, fps }, name };
}

/** Plays the plan of shots in virtual time, and returns what happened. */
function play(
  { fps, filmFps, start }: { readonly fps: number; readonly filmFps: number; readonly start: number },
  whims: Partial<Whims>,
  takes = [take(1000, 1192, 'film', filmFps)],
) {
  const input = { options: buildOptions(), match: MATCH };
  const seeks: string[] = [];
  const films: { from: number; to: number; aims: number; frames: number }[] = [];
  const ran: string[] = [];
  const state = { position: start, isPaused: false, lastSeek: -1, framerate: 0 };
  let isFilming = false;
  const playback = createPlayback(
    state,
    [...planActions(takes, input)],
    {
      fps,
      lag: () => 0,
      late: () => 0,
      showsStart: () => true,
      landsPaused: () => false,
      seekFrames: () => 3,
      ...whims,
    },
    {
      ran: (command) => void ran.push(command),
      command(head) {
        const film = films.at(-1);
        if (head === 'startmovie') {
          isFilming = true;
          films.push({ from: state.position, to: Infinity, aims: 0, frames: 0 });
        } else if (head === 'endmovie' && film !== undefined) {
          isFilming = false;
          film.to = state.position;
        } else if (head === 'spec_player' && isFilming && film !== undefined) film.aims++;
      },
      log: () => {},
      seek: (target, isBack) => void seeks.push(`${isBack ? 'back' : 'ahead'} to ${target}`),
      landed: () => {},
      drawn() {
        const film = films.at(-1);
        if (isFilming && film !== undefined && state.position <= 1192) film.frames++;
      },
      hasSlept: () => true,
    },
  );
  for (let frames = 0; frames < 20_000 && !ran.includes('quit'); frames++) playback.frame();
  return { seeks, films, ran };
}

describe('a shot through the plugin’s loop', () => {
  const cases = [5, 7, 12, 30, 60, 97, 120].flatMap((fps) => [-16, -1, 0, 1, 3].map((late) => ({ fps, late })));

  it.each(cases)(
    'at $fps frames a second, landing $late ticks late, with a lag, is one seek and one film',
    ({ fps, late }) => {
      for (const landsPaused of [false, true]) {
        for (const filmFps of [30, 120, 600]) {
          // Which ticks the first frames hit is up to the game.
          for (const start of [0, 7.1, 67.9]) {
            const whims = { lag: () => 5, late: () => late, landsPaused: () => landsPaused };
            const played = play({ fps, filmFps, start }, whims);
            expect(played.seeks).toEqual(['ahead to 904']);
            expect(played.films).toHaveLength(1);
            const [film] = played.films;
            expect(film?.from).toBeGreaterThanOrEqual(1000);
            expect(film?.from).toBeLessThan(1001);
            expect(film?.to).toBeGreaterThan(1193);
            expect(film?.aims).toBe(192 / 4);
            expect(film?.frames).toBeGreaterThanOrEqual(3 * filmFps - 1);
            expect(played.ran.filter((command) => command === 'demo_pause')).toHaveLength(1);
            const before = new Set(played.ran.slice(0, played.ran.indexOf('startmovie film')));
            expect(GAME_SETTINGS.filter((setting) => !before.has(setting))).toEqual([]);
          }
        }
      }
    },
  );

  it.each([true, false])('goes on with a shot that is earlier in the demo, with a frame of tick 0: %s', (shows) => {
    const setting = { fps: 60, filmFps: 60, start: 0 };
    for (const late of [0, 3, 68]) {
      // Only a seek to the start of the demo lands so late.
      const whims = { late: (target: number) => (target === 0 ? late : Math.min(late, 3)), showsStart: () => shows };
      const played = play(setting, whims, [take(1000, 1192, 'a'), take(400, 500, 'b')]);
      expect(played.seeks).toEqual(['ahead to 904', 'back to 0', 'ahead to 304']);
      expect(played.films.map(({ from }) => Math.floor(from))).toEqual([1000, 400]);
    }
  });
});

it('a shot that is near the end of the one before waits for its own seek', () => {
  for (const startTick of [1200, 1257, 1265, 1337]) {
    const takes = [take(1000, 1192, 'a'), take(startTick, startTick + 100, 'b')];
    const played = play({ fps: 60, filmFps: 30, start: 0 }, { lag: () => 30 }, takes);
    expect(played.seeks.at(-1)).toBe(`ahead to ${startTick - 96}`);
    // Nothing of it is logged before the seek back, or it would count as done.
    const [seek, back] = [`demo_gototick ${startTick - 96} 0 0`, played.ran.lastIndexOf('demo_gototick 0')];
    const between = played.ran.slice(back + 1, played.ran.lastIndexOf(seek));
    expect(between).toEqual(['sv_cheats 1', 'host_framerate 64', 'spec_show_xray 0']);
    expect(played.films.map(({ from }) => Math.floor(from))).toEqual([1000, startTick]);
    expect(played.ran.filter((command) => /movie/.test(command))).toEqual([
      'startmovie a',
      'endmovie',
      'startmovie b',
      'endmovie',
    ]);
  }
});

function ticksOf(startTick: number, endTick: number, fps: number, command: string | RegExp): number[] {
  const [sequence] = planActions([take(startTick, endTick, 'film', fps)], { options: buildOptions(), match: MATCH });
  const isIt = (cmd: string) => (typeof command === 'string' ? cmd === command : command.test(cmd));
  return (sequence?.actions ?? []).filter(({ cmd }) => isIt(cmd)).map(({ tick }) => tick);
}

describe('the plugin’s actions for a shot', () => {
  it('have what must not be repeated once, and set the camera on every fourth tick of the film from its second one on', () => {
    for (const command of ['startmovie film', 'endmovie', 'pause_playback', 'quit', 'demo_gototick 904 0 0']) {
      expect(ticksOf(1000, 1192, 30, command), command).toHaveLength(1);
    }
    const aims = ticksOf(1000, 1192, 30, 'spec_player 7').filter((tick) => tick > 1000);
    expect(aims).toEqual(Array.from({ length: 48 }, (_, i) => 1001 + 4 * i));
    expect(Math.max(...ticksOf(1000, 1192, 30, 'spec_mode 1'))).toBeLessThan(1000);
  });

  it('need no seek near the start of the demo', () => {
    expect(ticksOf(FIRST_FILM_TICK, 400, 30, /^demo_gototick/)).toEqual([]);
    expect(Math.min(...ticksOf(FIRST_FILM_TICK, 400, 30, /./))).toBe(96);
    expect(ticksOf(FIRST_FILM_TICK, 400, 30, 'spec_player 7')[0]).toBeLessThan(FIRST_FILM_TICK - 24);
  });

  it('end before the game closes the demo', () => {
    for (const fps of [10, 30, 120]) {
      const [quit = 0] = ticksOf(4800, 4984, fps, 'quit');
      expect(quit).toBeGreaterThan(ticksOf(4800, 4984, fps, 'endmovie')[0] ?? Infinity);
      expect(quit).toBeLessThan(5000);
    }
    expect(ticksOf(1000, 1192, 30, 'quit')).toEqual([1256]);
  });

  it('continue with the next shot, and end the game after the last one', () => {
    const takes = [take(1000, 1192, 'a'), take(500, 600, 'b')];
    const sequences = planActions(takes, { options: buildOptions(), match: MATCH });
    const last = sequences.map(({ actions }) => actions.at(-1)?.cmd);
    expect(last).toEqual(['go_to_next_sequence', 'quit']);
    expect(sequences[0]?.actions.filter(({ cmd }) => cmd === 'quit')).toEqual([]);
  });

  it('have all settings and the clip’s options before the film', () => {
    const options = buildOptions({ xray: true, ownKillfeed: true, onlyDeathnotices: false });
    const [sequence] = planActions([take(1000, 1192)], { options, match: MATCH });
    if (sequence === undefined) throw new Error('no sequence');
    const before = commandsBefore(sequence);
    const wanted = [
      ...[...GAME_SETTINGS, 'spec_show_xray 1', 'cl_draw_only_deathnotices 0', 'cl_drawhud_force_deathnotices -1'],
      ...['spec_mode 1', 'spec_player 7', 'host_framerate 64', 'host_framerate 256', 'host_framerate 30'],
      ...['cl_show_observer_crosshair 2', 'cl_interp_ratio 1'],
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
  const encoder = createFilmEncoder({
    ...place,
    folders: [folder],
    ffmpegPath: '',
    fps: 30,
    codec: '',
    outPath: join(folder, 'video'),
  });
  const before = new Set(['voice_modenable 0', 'host_framerate 30']);
  const rest = { sounds: [folder], encoder, target, timers: systemTimers, onTick: () => {} };
  return createFilmedTake({ ...take(1000, 1192), ...place, before, ...rest });
}

it.each([true, false])(
  'a film whose first pictures had no report is faulty, whoever is reported later: %s',
  async (isLate) => {
    const him = '76561198000000007';
    const filmed = filming('/nowhere', { steamId: him, commands: [], isAlive: () => true, lead: 0 });
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
  const filmed = filming('/nowhere', { steamId: him, commands: [], isAlive: () => true, lead: 0 });
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
