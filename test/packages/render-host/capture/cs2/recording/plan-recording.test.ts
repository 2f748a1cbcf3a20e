import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkers } from '#render-host/capture/cs2/game/game-console.ts';
import { createProgress } from '#render-host/capture/cs2/recording/inspect-take.ts';
import {
  aimAtCommands,
  filmFrames,
  planRecordedShots,
  playCommands,
  type RecordedShot,
  seekCommands,
  takeCommands,
} from '#render-host/capture/cs2/recording/plan-recording.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildOptions, buildShot } from '../../../builders.ts';

const markers = createMarkers('s1');
const PLAYERS = [0, 3, 8].map((slot) => ({
  steamId: `7656119800000000${slot}`,
  name: 'P',
  userId: 65_536 + slot,
  isBot: false,
  seats: [{ sinceTick: 0, slot }],
}));
const LAST_TICK = 20_000;
const match = { players: PLAYERS, lastTick: LAST_TICK, tickRate: 64 };

const seek = (shot: RecordedShot) => seekCommands(shot, '0', 64, markers);
const take = (shot: RecordedShot, options = buildOptions()) =>
  takeCommands(shot, { match, options, markers, take: '0', folder: 'D:/work/0', footageCodec: '-c:v libx264' });

/** Returns the scheduled commands by the tick that runs them: HLAE runs what is due at a tick in the frame after it. */
function scheduled(commands: readonly string[]): { tick: number; commands: string }[] {
  const found = commands.flatMap((command) => {
    const [, tick, words = ''] = /^mirv_cmd addAtTick (\d+)\.999999 "(.*)"$/.exec(command) ?? [];
    return tick === undefined ? [] : [{ tick: Number(tick) + 1, commands: words }];
  });
  return found.toSorted((a, b) => a.tick - b.tick);
}

function recordedShot(startTick: number, endTick: number, pov = 0, fps = 10, more: Partial<Shot> = {}): RecordedShot {
  const [shot] = planRecordedShots(match, [buildShot({ pov, startTick, endTick, ...more })], fps) ?? [];
  if (shot === undefined) throw new Error('no shot was planned');
  return shot;
}

describe('whom the camera follows', () => {
  const player = (seats: readonly { sinceTick: number; slot: number }[], name = 'Ann', isBot = false) => ({
    steamId: `765611980000${seats[0]?.slot}`,
    name,
    userId: 65_284,
    isBot,
    seats,
  });
  const slotOf = (players: ReturnType<typeof player>[], startTick: number, pov = 0) =>
    planRecordedShots({ ...match, players }, [buildShot({ pov, startTick, endTick: startTick + 100 })], 10)?.[0]?.slot;

  it.each([
    [500, 4],
    [1999, 4],
    [2000, 12],
    [9000, 1],
  ])('is the slot that the player has at the shot’s tick, reconnected or not: at %i that is %i', (startTick, slot) => {
    const seats = [
      { sinceTick: 0, slot: 3 },
      { sinceTick: 2000, slot: 11 },
      { sinceTick: 5000, slot: 0 },
    ];
    expect(slotOf([player(seats)], startTick)).toBe(slot);
  });

  it('is never the id that events name the player by, nor the namesake’s seat, and a bot’s is like any other', () => {
    const players = [
      player([{ sinceTick: 0, slot: 2 }]),
      player([{ sinceTick: 0, slot: 7 }]),
      player([{ sinceTick: 90, slot: 5 }], 'Bot Vox', true),
    ];
    expect([0, 1, 2].map((pov) => slotOf(players, 1000, pov))).toEqual([3, 8, 6]);
  });

  it('is the first seat of one who came after the shot began', () => {
    expect(slotOf([player([{ sinceTick: 1050, slot: 6 }])], 1000)).toBe(7);
  });
});

it('a demo is loaded after the commands that report its playback are scheduled', () => {
  expect(playCommands('C:\\work\\match.dem', { kind: 'ready', take: '7' }, markers)).toEqual([
    'mirv_cmd clear',
    'mirv_cmd addAtTick 95.999999 "echo tickreel.s1.ready.7"',
    'playdemo "C:\\work\\match.dem"',
  ]);
});

describe('a seek', () => {
  it('lets the camera go and outlines be off, goes a second ahead, and stops there by itself', () => {
    expect(seek(recordedShot(1000, 1200, 1))).toEqual([
      'mirv_script_spec_lock 0',
      'host_framerate 0',
      'spec_show_xray 0',
      'mirv_cmd clear',
      'mirv_cmd addAtTick 937.999999 "demo_pause; echo tickreel.s1.seeked.0"',
      'mirv_cmd addAtTick 947.999999 "echo tickreel.s1.slipped.0"',
      'demo_gototick 936 0 0',
      'demo_resume',
    ]);
  });
});

describe('the camera', () => {
  it('is put on the player where the seek has stopped, and playback stops again', () => {
    expect(aimAtCommands(recordedShot(1000, 1200, 1), '0', 64, markers)).toEqual([
      'mirv_cmd clear',
      'mirv_cmd addAtTick 951.999999 "spec_mode 1"',
      'mirv_cmd addAtTick 951.999999 "mirv_script_spec_lock 4"',
      'mirv_cmd addAtTick 963.999999 "demo_pause; echo tickreel.s1.aimed.0"',
      'mirv_cmd addAtTick 975.999999 "echo tickreel.s1.slipped.0"',
      'demo_resume',
    ]);
  });
});

describe('the film of a clip of 30 frames a second', () => {
  const ramp = (tick: number, slow: number, base = 1) => [
    ...[
      { tick, speed: base },
      { tick: tick + 20, speed: slow },
    ],
    ...[
      { tick: tick + 40, speed: slow },
      { tick: tick + 60, speed: base },
    ],
  ];

  it.each([
    ['without speeds', [], 30],
    ['at half the speed', [{ tick: 0, speed: 0.5 }], 60],
    ['at another constant speed', [{ tick: 0, speed: 0.75 }], 40],
    ['at twice the speed', [{ tick: 0, speed: 2 }], 30],
    ['somewhat faster', [{ tick: 0, speed: 1.5 }], 40],
    ['with slow motion', ramp(1050, 0.3), 100],
    ['with hardly slow motion', ramp(1050, 0.8), 75],
    ['with slow motion in a fast shot', ramp(1050, 0.5, 2), 60],
    ['with slow motion outside of it', ramp(1300, 0.3), 30],
    ['with very slow motion', ramp(1050, 0.04), 600],
  ])('%s has as many as its slowest part needs', (_name, speeds, fps) => {
    const recorded = recordedShot(1000, 1200, 0, 30, { speeds });
    expect(recorded.fps).toBeCloseTo(fps, 9);
    expect(take(recorded)).toContain(`host_framerate ${recorded.fps}`);
    expect(take(recorded)).toContain(`mirv_streams record fps ${recorded.fps}`);
    expect(filmFrames([recorded, recorded], 64)).toBeCloseTo((400 / 64) * fps, 9);
  });
});

describe('a take', () => {
  it('sets the picture, records from the first tick to the last, and stops a second later', () => {
    const commands = take(recordedShot(1000, 1040, 1));
    expect(commands.filter((command) => !command.startsWith('mirv_cmd addAtTick'))).toEqual([
      'mirv_cmd clear',
      'spec_show_xray 0',
      'cl_draw_only_deathnotices 1',
      'cl_drawhud_force_deathnotices 0',
      'cl_drawhud_force_teamid_overhead 0',
      'hud_showtargetid 1',
      'tv_nochat 0',
      'mirv_deathmsg clear',
      'mirv_deathmsg filter clear',
      'mirv_deathmsg filter add attackerMatch=x76561198000000003 attackerIsLocal=1',
      'cl_interp_ratio 1',
      'mirv_streams record fps 10',
      'mirv_streams record name "D:/work/0"',
      'mirv_streams settings add ffmpeg tickreel0 "-c:v libx264 {QUOTE}D:/work/0/video.mkv{QUOTE}"',
      'mirv_streams record screen settings tickreel0',
      'host_framerate 10',
      'demo_resume',
    ]);
    expect(scheduled(commands)).toEqual([
      { tick: 1000, commands: 'mirv_streams record start; echo tickreel.s1.recording.0' },
      { tick: 1016, commands: 'echo tickreel.s1.tick.0.1016' },
      { tick: 1032, commands: 'echo tickreel.s1.tick.0.1032' },
      { tick: 1040, commands: 'mirv_streams record end; echo tickreel.s1.recorded.0' },
      { tick: 1104, commands: 'mirv_streams record end; demo_pause; echo tickreel.s1.clear.0' },
    ]);
    expect(commands.at(-1)).toBe('demo_resume');
  });

  it.each([
    [{ xray: true }, 'spec_show_xray 1'],
    [{ onlyDeathnotices: false }, 'cl_draw_only_deathnotices 0'],
    [{ ownKillfeed: true }, 'cl_drawhud_force_deathnotices -1'],
    [{ hidesNames: true }, 'cl_drawhud_force_teamid_overhead -1'],
    [{ hidesNames: true }, 'hud_showtargetid 0'],
    [{ hidesNames: true }, 'tv_nochat 1'],
    [{ fps: 120 }, 'mirv_streams record fps 120'],
    [{ fps: 120 }, 'host_framerate 120'],
  ])('with %o sends %s', (options, command) => {
    const { fps, ...rest } = buildOptions(options);
    expect(take(recordedShot(1000, 1200, 0, fps), buildOptions(rest))).toContain(command);
  });

  it('from a victim’s view marks the kills of the killer', () => {
    const commands = take(recordedShot(1000, 1200, 1, 10, { subject: 2 }));
    expect(commands).toContain('mirv_deathmsg filter add attackerMatch=x76561198000000008 attackerIsLocal=1');
  });

  it.each([
    ['at the very start begins once the game hears commands and has its camera', 1, 400, 144, 400],
    ['that lies wholly before that is one tick long', 10, 60, 144, 145],
    ['to the last tick ends before the game closes the demo', 19_000, LAST_TICK, 19_000, LAST_TICK - 16],
  ])('of a shot %s', (_name, from, to, startTick, endTick) => {
    expect(recordedShot(from, to)).toMatchObject({ startTick, endTick });
  });

  it('of a shot in a demo that is over by then is not planned', () => {
    expect(planRecordedShots({ ...match, lastTick: 120 }, [buildShot({ startTick: 50, endTick: 90 })], 10)).toBeNull();
  });

  it('keeps to the rules of the game, whatever the shot', () => {
    const shots = fc.record({
      startTick: fc.integer({ min: 1, max: LAST_TICK - 200 }),
      length: fc.integer({ min: 1, max: 6000 }),
      pov: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(shots, ({ startTick, length, pov }) => {
        const shot = recordedShot(startTick, Math.min(startTick + length, LAST_TICK), pov);
        const before = seek(shot);
        const commands = scheduled(take(shot));
        const target = Number(/demo_gototick (\d+) 0 0/.exec(before.join('\n'))?.[1]);
        const tickOf = (text: string): number =>
          commands.find((one) => one.commands.includes(text))?.tick ?? Number.NaN;
        // Nothing below tick 96, nothing at or after the last tick, nothing on the tick of the seek.
        expect(target).toBeGreaterThanOrEqual(96);
        for (const { tick } of [...scheduled(before), ...commands]) {
          expect(tick).toBeGreaterThan(target);
          expect(tick).toBeLessThan(LAST_TICK);
        }
        // A late stop can only pass ticks before all that is scheduled next.
        const aim = scheduled(aimAtCommands(shot, '0', 64, markers));
        const last = (list: { tick: number }[]): number => Math.max(...list.map(({ tick }) => tick));
        expect(last(scheduled(before))).toBeLessThan(aim[0]?.tick ?? 0);
        expect(last(aim)).toBeLessThan(commands[0]?.tick ?? 0);
        // Exact if the game allows it.
        if (startTick >= 160) expect(tickOf('record start')).toBe(startTick);
        if (startTick >= 160) expect(target).toBe(startTick - 64);
        expect(tickOf('record start')).toBeLessThan(tickOf('record end'));
        expect(tickOf('record end; echo')).toBeLessThan(tickOf('clear.0'));
        // At most a quarter of a second without a marker, so that it is known when the camera showed whom.
        const echoes = commands.filter((one) => one.commands.includes('echo') && one.tick >= shot.startTick);
        for (const [i, { tick }] of echoes.slice(0, -1).entries())
          expect(tick - (echoes[i - 1]?.tick ?? tick)).toBeLessThanOrEqual(16);
      }),
    );
  });
});

it('reports as much progress for a shot as the film has frames of it', () => {
  const reported: number[] = [];
  const slow = { startTick: 0, endTick: 640, fps: 600 };
  const progress = createProgress([slow, { startTick: 900, endTick: 1540, fps: 200 }], (part) => reported.push(part));
  progress(0, 640);
  progress(1, 1220);
  progress(1, 2000);
  expect(reported.map((part) => Math.round(part * 1000))).toEqual([775, 888, 1000]);
});
