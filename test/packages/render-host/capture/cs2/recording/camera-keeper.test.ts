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

describe('the camera', () => {
  it('that is on the player all the time is held, and left alone', async () => {
    const { sent, camera, shows } = setUp();
    shows(HIM);
    await camera.found;
    shows(HIM);
    expect(camera.finish()).toEqual({ verdict: 'held', drifts: [] });
    expect(sent).toEqual([]);
  });

  it('that is not there yet is set again, which is no drift', async () => {
    const { sent, camera, shows } = setUp();
    expect(camera.isReported()).toBe(false);
    shows(OTHER);
    shows(null);
    expect(camera.isReported()).toBe(true);
    shows(HIM);
    await camera.found;
    expect(camera.finish().verdict).toBe('held');
    expect(sent).toEqual([...SET, ...SET]);
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

  it('that leaves the living player is set again at each report, and has drifted', () => {
    const { sent, camera, shows } = setUp();
    shows(HIM);
    camera.at(300);
    shows(OTHER);
    shows(null);
    shows(HIM);
    expect(camera.finish().verdict).toBe('drifted');
    expect(sent).toEqual([...SET, ...SET]);
  });

  it('that left the player has drifted, however late the console reports the recorder', () => {
    const { camera, shows } = setUp();
    shows(HIM);
    shows(OTHER);
    shows(HIM);
    camera.at(116);
    expect(camera.finish().drifts).toEqual([{ steamId: OTHER, ticks: 1 }]);
  });

  it('that left the player reports whom it showed and for how long', () => {
    const { camera, shows } = setUp();
    shows(HIM);
    camera.at(116);
    shows(OTHER);
    // The heartbeat repeats it.
    camera.at(132);
    shows(OTHER);
    camera.at(148);
    shows(null);
    camera.at(164);
    shows(HIM);
    shows(OTHER);
    shows(HIM);
    expect(camera.finish().drifts).toEqual([
      { steamId: OTHER, ticks: 32 },
      { steamId: null, ticks: 16 },
      { steamId: OTHER, ticks: 1 },
    ]);
  });

  it('that never was on the player has missed them', () => {
    const { camera, shows } = setUp();
    shows(OTHER);
    expect(camera.finish().verdict).toBe('missed');
  });

  it('that leaves a dead player is not faulty', () => {
    const { sent, camera, shows } = setUp();
    shows(HIM);
    camera.at(500);
    shows(OTHER);
    expect(camera.finish().verdict).toBe('held');
    expect(sent).toEqual([]);
  });

  it.each([
    ['that leaves them shortly before the last known tick of their death has not drifted', 450, [OTHER], 'held'],
    ['that leaves them long before has', 350, [OTHER], 'drifted'],
    ['that comes back has', 450, [OTHER, HIM], 'drifted'],
  ] as const)('%s', (_name, tick, shown, verdict) => {
    const { camera, shows } = setUp();
    shows(HIM);
    camera.at(tick);
    for (const steamId of shown) shows(steamId);
    expect(camera.finish().verdict).toBe(verdict);
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
