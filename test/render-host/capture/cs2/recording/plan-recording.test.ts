import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkers } from '../../../../../render-host/capture/cs2/game/markers.ts';
import {
  planRecording,
  planTake,
  type RecordedShot,
  type Step,
} from '../../../../../render-host/capture/cs2/recording/plan-recording.ts';
import { buildOptions, buildShot } from '../../../builders.ts';

const markers = createMarkers('s1');
const PLAYERS = [0, 3, 8].map((slot) => ({
  ...{ steamId: `7656119800000000${slot}`, name: 'P', userId: 65_536 + slot, isBot: false },
  seats: [{ sinceTick: 0, slot }],
}));
const LAST_TICK = 20_000;
const match = { players: PLAYERS, lastTick: LAST_TICK, tickRate: 64 };

function plan(shots = [buildShot({ startTick: 1000, endTick: 1300 })], options = buildOptions()) {
  return planRecording({ match, shots, options, demoPath: 'C:\\work\\match.dem', markers });
}

function sent(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => (step.kind === 'send' ? [step.command] : []));
}

function take(shot: RecordedShot, options = buildOptions()): readonly Step[] {
  return planTake(shot, { match, options, markers, take: '0a', folder: 'D:/work/0a', footageCodec: '-c:v libx264' });
}

/** What HLAE is asked to do at which tick, in the order of the ticks. */
function scheduled(steps: readonly Step[]): { tick: number; commands: string }[] {
  const found = sent(steps).flatMap((command) => {
    const [, tick, commands = ''] = /^mirv_cmd addAtTick (\d+) "(.*)"$/.exec(command) ?? [];
    return tick === undefined ? [] : [{ tick: Number(tick), commands }];
  });
  return found.toSorted((a, b) => a.tick - b.tick);
}

function recordedShot(startTick: number, endTick: number, pov = 0): RecordedShot {
  const [shot] = plan([buildShot({ pov, startTick, endTick })])?.shots ?? [];
  if (shot === undefined) throw new Error('no shot was planned');
  return shot;
}

describe('before playback', () => {
  it('the game is set up, recording configured, and then the demo asked for', () => {
    const planned = plan();
    expect(sent(planned?.setup ?? [])).toEqual([
      'sv_cheats 1',
      'demo_ui_mode 0',
      'volume 1',
      'engine_no_focus_sleep 0',
      'r_show_build_info 0',
      'cl_trueview_show_status 0',
      'demo_quitafterplayback 0',
      'spec_autodirector 0',
      'spec_show_xray 0',
      'cl_draw_only_deathnotices 1',
      'cl_drawhud_force_deathnotices 0',
      'mirv_streams record screen enabled 1',
      'mirv_streams record startMovieWav 1',
      'mirv_streams record fps 10',
    ]);
    expect(sent(planned?.play ?? [])).toEqual([
      'mirv_cmd clear',
      'mirv_cmd addAtTick 96 "echo tickreel.s1.ready"',
      'playdemo "C:\\work\\match.dem"',
    ]);
  });

  it.each([
    [{ xray: true }, 'spec_show_xray 1'],
    [{ onlyDeathnotices: false }, 'cl_draw_only_deathnotices 0'],
    [{ ownKillfeed: true }, 'cl_drawhud_force_deathnotices -1'],
    [{ fps: 120 }, 'mirv_streams record fps 120'],
  ])('%o is %s', (options, command) => {
    expect(sent(plan(undefined, buildOptions(options))?.setup ?? [])).toContain(command);
  });
});

describe('a take', () => {
  it('seeks a second ahead, aims, records from the first tick to the last, and waits a second', () => {
    const steps = take(recordedShot(1000, 1200, 1));
    const seeked = steps.findIndex(({ kind }) => kind === 'await');
    expect(sent(steps.slice(0, seeked))).toEqual([
      'mirv_cmd clear',
      'mirv_cmd addAtTick 938 "demo_pause; echo tickreel.s1.seeked.0a"',
      'demo_gototick 936',
    ]);
    expect(steps.slice(seeked, seeked + 3)).toEqual([
      { kind: 'await', marker: { kind: 'seeked', take: '0a' } },
      { kind: 'send', command: 'mirv_cmd clear' },
      { kind: 'rest', ms: 1500 },
    ]);
    expect(sent(steps.slice(seeked + 3)).filter((command) => !command.startsWith('mirv_cmd'))).toEqual([
      'spec_show_xray 0',
      'cl_draw_only_deathnotices 1',
      'cl_drawhud_force_deathnotices 0',
      'mirv_streams record name "D:/work/0a"',
      'mirv_streams settings add ffmpeg tickreel0a "-c:v libx264 {QUOTE}D:/work/0a/video.mkv{QUOTE}"',
      'mirv_streams record screen settings tickreel0a',
      'demo_resume',
    ]);
    expect(scheduled(steps.slice(seeked))).toEqual([
      { tick: 944, commands: 'spec_mode 1' },
      { tick: 948, commands: 'spec_player 4' },
      { tick: 952, commands: 'echo tickreel.s1.aimed.0a' },
      { tick: 960, commands: 'spec_player 4' },
      { tick: 1000, commands: 'mirv_streams record start; echo tickreel.s1.recording.0a' },
      { tick: 1064, commands: 'echo tickreel.s1.tick.0a.1064' },
      { tick: 1128, commands: 'echo tickreel.s1.tick.0a.1128' },
      { tick: 1192, commands: 'echo tickreel.s1.tick.0a.1192' },
      { tick: 1200, commands: 'mirv_streams record end; echo tickreel.s1.recorded.0a' },
      { tick: 1264, commands: 'echo tickreel.s1.clear.0a' },
    ]);
    expect(steps.slice(-4)).toEqual(
      (['aimed', 'recording', 'recorded', 'clear'] as const).map((kind) => ({
        kind: 'await',
        marker: { kind, take: '0a' },
      })),
    );
  });

  it.each([
    ['at the very start begins once the game hears commands and has its camera', 1, 400, 128, 400],
    ['that lies wholly before that is one tick long', 10, 60, 128, 129],
    ['to the last tick ends before the game closes the demo', 19_000, LAST_TICK, 19_000, LAST_TICK - 16],
  ])('of a shot %s', (_name, from, to, startTick, endTick) => {
    expect(recordedShot(from, to)).toMatchObject({ startTick, endTick });
  });

  it('of a shot in a demo that is over by then is not planned', () => {
    expect(
      planRecording({
        ...{ shots: [buildShot({ startTick: 50, endTick: 90 })], options: buildOptions() },
        match: { ...match, lastTick: 120 },
        demoPath: 'm.dem',
        markers,
      }),
    ).toBeNull();
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
        const steps = take(shot);
        const commands = scheduled(steps);
        const seek = Number(/demo_gototick (\d+)/.exec(sent(steps).join('\n'))?.[1]);
        const tickOf = (text: string): number =>
          commands.find((one) => one.commands.includes(text))?.tick ?? Number.NaN;
        // Nothing below tick 96, nothing at or after the last tick, nothing on the tick of the seek.
        expect(seek).toBeGreaterThanOrEqual(96);
        for (const { tick } of commands) {
          expect(tick).toBeGreaterThan(seek);
          expect(tick).toBeLessThan(LAST_TICK);
        }
        // The camera first, then the recorder; exact wherever the game allows.
        expect(tickOf('spec_mode 1')).toBeLessThan(tickOf('spec_player'));
        expect(tickOf('spec_player')).toBeLessThan(tickOf('aimed'));
        expect(tickOf('aimed')).toBeLessThan(tickOf('record start'));
        if (startTick >= 160) expect(tickOf('record start')).toBe(startTick);
        if (startTick >= 160) expect(seek).toBe(startTick - 64);
        expect(tickOf('record start')).toBeLessThan(tickOf('record end'));
        expect(tickOf('record end')).toBeLessThan(tickOf('clear.0a'));
        expect(sent(steps).filter((command) => command.startsWith('demo_gototick'))).toHaveLength(1);
        // A second's silence at most, so that a flat tick is noticed.
        const echoes = commands.filter((one) => one.commands.includes('echo') && one.tick >= shot.startTick);
        for (const [i, { tick }] of echoes.entries())
          expect(tick - (echoes[i - 1]?.tick ?? tick)).toBeLessThanOrEqual(64);
        // What is scheduled for a stretch is gone before the next one is played.
        expect(sent(steps).filter((command) => command === 'mirv_cmd clear')).toHaveLength(2);
        expect(sent(steps)[0]).toBe('mirv_cmd clear');
      }),
    );
  });

  it('is planned for each shot in the order of the clip, backwards too', () => {
    const planned = plan([
      buildShot({ pov: 2, startTick: 9000, endTick: 9200 }),
      buildShot({ pov: 0, startTick: 500, endTick: 700 }),
    ]);
    expect(planned?.shots.map(({ startTick, slot }) => [startTick, slot])).toEqual([
      [9000, 9],
      [500, 1],
    ]);
  });
});

describe('markers', () => {
  it('are heard as they were said', () => {
    for (const marker of [
      { kind: 'ready' },
      { kind: 'seeked', take: '3b' },
      { kind: 'tick', take: '12a', tick: 12345 },
    ] as const) {
      const echoed = markers.say(marker).replace(/^echo /, '');
      expect(markers.heard(echoed)).toEqual(marker);
      expect(markers.heard(`[Console] ${echoed} `)).toEqual(marker);
    }
  });

  it.each([
    ['the command itself', '] echo tickreel.s1.ready'],
    ['the command where it is scheduled', 'mirv_cmd addAtTick 96 "echo tickreel.s1.ready"'],
    ['another session’s', 'tickreel.s2.ready'],
    ['a word of no meaning', 'tickreel.s1.applause'],
    ['anything else', 'Map: de_nuke'],
    ['a part of a word', 'xtickreel.s1.ready'],
  ])('are not %s', (_name, line) => {
    expect(markers.heard(line)).toBeNull();
  });
});
