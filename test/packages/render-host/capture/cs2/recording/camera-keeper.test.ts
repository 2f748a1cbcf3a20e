import { describe, expect, it } from 'vitest';
import type { GameReportListener } from '#render-host/capture/cs2/game/game-state.ts';
import { cameraTarget, keepCamera } from '#render-host/capture/cs2/recording/camera-keeper.ts';
import { buildKill, buildMatch, buildShot } from '../../../builders.ts';

const HIM = '76561198000000001';
const OTHER = '76561198000000002';
const SET = ['spec_mode 1', 'mirv_script_spec_lock 3'];

/** Returns a camera whose reports the test sends, counted from a second on. The player dies at tick 500. */
function setUp(after?: number) {
  const sent: string[] = [];
  let report: GameReportListener = () => {};
  const gameState = {
    onReport(listener: GameReportListener) {
      report = listener;
      return () => {
        report = () => {};
      };
    },
    close: async () => {},
  };
  const target = { steamId: HIM, commands: SET, isAlive: (tick: number) => tick < 500, lead: 100 };
  const camera = keepCamera(gameState, (command) => sent.push(command), target, 100, { after });
  return { sent, camera, shows: (steamId: string | null, second: number | null = null) => report(steamId, second) };
}

const WHO: Record<string, string | null> = { him: HIM, other: OTHER, nobody: null };

/** Plays whom the game shows, and the ticks that its console reports meanwhile. */
function play(shown: string) {
  const { sent, camera, shows } = setUp();
  expect(camera.isReported()).toBe(false);
  for (const word of shown.split(' ')) {
    if (word in WHO) shows(WHO[word] ?? null);
    else camera.at(Number(word));
  }
  expect(camera.isReported()).toBe(true);
  const { verdict, drifts } = camera.finish();
  const told = drifts.map(({ steamId, ticks }) => `${steamId === OTHER ? 'other' : steamId} for ${ticks}`);
  return { verdict, sets: sent.length / SET.length, drifts: told.join(', ') };
}

describe('the camera', () => {
  it.each<[string, string, Partial<ReturnType<typeof play>>]>([
    ['that is on the player all the time is held, and left alone', 'him him', { verdict: 'held', sets: 0 }],
    ['that is not there yet is set again, which is no drift', 'other nobody him', { verdict: 'held', sets: 2 }],
    ['that leaves the living player is set again at each report', 'him 300 other nobody him', { sets: 2 }],
    ['that left has drifted, however late the console reports', 'him other him 116', { drifts: 'other for 1' }],
    [
      'that left the player reports whom it showed and for how long',
      // The heartbeat repeats it.
      'him 116 other 132 other 148 nobody 164 him other him',
      { verdict: 'drifted', drifts: 'other for 32, null for 16, other for 1' },
    ],
    ['that never was on the player has missed them', 'other', { verdict: 'missed' }],
    ['that leaves a dead player is not faulty', 'him 500 other', { verdict: 'held', sets: 0, drifts: '' }],
    [
      'that leaves them shortly before the last known tick of their death has not drifted',
      'him 450 other',
      { verdict: 'held' },
    ],
    ['that leaves them long before has', 'him 350 other', { verdict: 'drifted' }],
    ['that comes back has', 'him 450 other him', { verdict: 'drifted' }],
  ])('%s', (_name, shown, expected) => {
    expect(play(shown)).toMatchObject(expected);
  });

  it('was on the player before the seek, and on another after it: neither counts, however late it is reported', async () => {
    const { camera, shows } = setUp(10);
    shows(HIM, 9);
    shows(OTHER, 10);
    expect(camera.isReported()).toBe(true);
    shows(OTHER, 11);
    shows(HIM, 12);
    await camera.found;
    expect(camera.finish()).toEqual({ verdict: 'held', drifts: [] });
  });

  it('is judged by all that was reported before the take was over, and by nothing later', async () => {
    const { camera, shows } = setUp();
    shows(HIM, 100);
    const caughtUp = camera.over(105);
    shows(OTHER, 104);
    shows(HIM, 105);
    shows(null, 106);
    await caughtUp;
    expect(camera.finish()).toEqual({ verdict: 'drifted', drifts: [{ steamId: OTHER, ticks: 1 }] });
    shows(OTHER, 104);
    expect(camera.finish().drifts).toHaveLength(1);
  });
});

describe('whom the camera is kept on', () => {
  const recorded = { shot: buildShot({ pov: 2 }), startTick: 64, endTick: 256, slot: 3, fps: 10 };

  it('is the shot’s player, by slot and Steam id, alive until half a second before their death', () => {
    const match = buildMatch({ kills: [buildKill({ tick: 200, attacker: 5, victim: 2 })] });
    const target = cameraTarget(match, recorded);
    expect(target).toMatchObject({ steamId: '76561198000000002', commands: SET });
    expect([100, 167, 168, 199, 200, 256].map((tick) => target?.isAlive(tick))).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });

  it('is nobody if the player is dead from the first tick on', () => {
    const match = buildMatch({ kills: [buildKill({ tick: 60, attacker: 5, victim: 2 })] });
    expect(cameraTarget(match, recorded)).toBeNull();
  });
});
