import { describe, expect, it } from 'vitest';
import { keepCamera } from '../../../../../render-host/capture/cs2/recording/camera-keeper.ts';
import { cameraTarget } from '../../../../../render-host/capture/cs2/recording/camera-target.ts';
import { buildKill, buildMatch, buildShot } from '../../../builders.ts';

const HIM = '76561198000000001';
const OTHER = '76561198000000002';
const SET = ['spec_mode 1', 'mirv_script_spec_lock 3'];

/** A camera of which the test says whom it shows; he dies at tick 500. */
function setUp() {
  const sent: string[] = [];
  let report: (steamId: string | null) => void = () => {};
  const gameState = {
    onReport(listener: (steamId: string | null) => void) {
      report = listener;
      return () => {
        report = () => {};
      };
    },
    close: async () => {},
  };
  const target = { steamId: HIM, commands: SET, isAlive: (tick: number) => tick < 500 };
  const camera = keepCamera(gameState, (command) => sent.push(command), target);
  return { sent, camera, shows: (steamId: string | null) => report(steamId) };
}

describe('the camera', () => {
  it('that is on the player all the time is held, and left alone', () => {
    const { sent, camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    shows(HIM);
    expect(camera.finish().verdict).toBe('held');
    expect(sent).toEqual([]);
  });

  it('may be anywhere before it is set, and once it has been judged', () => {
    const { sent, camera, shows } = setUp();
    shows(OTHER);
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    expect(camera.finish().verdict).toBe('held');
    shows(OTHER);
    expect(sent).toEqual([]);
  });

  it('that has left him by a report which comes after the recorder has stopped has drifted', () => {
    const { camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    camera.at(200);
    shows(OTHER);
    expect(camera.finish()).toEqual({ verdict: 'drifted', drifts: [{ steamId: OTHER, ticks: 1 }] });
  });

  it('that left him is known by whom it showed and for how long', () => {
    const { camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    camera.at(116);
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

  it('that is not there yet when it has been set is set again, which is no drift', () => {
    const { sent, camera, shows } = setUp();
    camera.aimed();
    shows(OTHER);
    shows(HIM);
    camera.recording(100);
    expect(camera.finish().verdict).toBe('held');
    expect(sent).toEqual(SET);
  });

  it('that is still elsewhere when the recorder starts has drifted', () => {
    const { camera, shows } = setUp();
    camera.aimed();
    shows(OTHER);
    camera.recording(100);
    shows(HIM);
    expect(camera.finish().verdict).toBe('drifted');
  });

  it('that leaves him while he lives is set again at each report, and has drifted', () => {
    const { sent, camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    camera.at(300);
    shows(OTHER);
    shows(null);
    shows(HIM);
    expect(camera.finish().verdict).toBe('drifted');
    expect(sent).toEqual([...SET, ...SET]);
  });

  it('that leaves him once he is dead is right to', () => {
    const { sent, camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    camera.recording(100);
    camera.at(500);
    shows(OTHER);
    expect(camera.finish().verdict).toBe('held');
    expect(sent).toEqual([]);
  });

  it('that never was on him has missed, and one of which nothing came is unreported', () => {
    const wrong = setUp();
    wrong.camera.aimed();
    wrong.shows(OTHER);
    wrong.camera.recording(100);
    wrong.shows(OTHER);
    expect(wrong.camera.finish().verdict).toBe('missed');
    const silent = setUp();
    silent.camera.aimed();
    silent.camera.recording(100);
    expect(silent.camera.finish().verdict).toBe('unreported');
  });

  it('has reported at the first report after it was set', async () => {
    const { camera, shows } = setUp();
    camera.aimed();
    shows(HIM);
    await camera.reported;
  });
});

describe('whom the camera is kept on', () => {
  const recorded = { shot: buildShot({ pov: 2 }), startTick: 64, endTick: 256, slot: 3 };

  it('is the shot’s player, by slot and Steam id, alive until half a second before his death', () => {
    const match = buildMatch({ kills: [buildKill({ tick: 200, attacker: 5, victim: 2 })] });
    const target = cameraTarget(match, recorded);
    expect(target).toMatchObject({ steamId: '76561198000000002', commands: SET });
    expect([100, 167, 168, 199, 200, 256].map((tick) => target?.isAlive(tick))).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });

  it('is nobody where he is dead from the first tick on', () => {
    const match = buildMatch({ kills: [buildKill({ tick: 60, attacker: 5, victim: 2 })] });
    expect(cameraTarget(match, recorded)).toBeNull();
  });
});
