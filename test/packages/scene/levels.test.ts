import { expect, it } from 'vitest';
import type { Match } from '#render-host/match/match.ts';
import { createCamera } from '#scene/camera/camera.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { toScreen } from '#scene/paint/moment.ts';
import { buildMatch, buildOptions, buildShot, type MatchPlan } from '../render-host/builders.ts';
import { changedPixels, paintFrame, type Region } from '../render-host/frame-checks.ts';

const UPPER = -400;
const LOWER = -640;
const shot = buildShot();
const options = buildOptions();
const FRAME = 10;
const TICK = 128;

/** Returns the point-of-view player and a team mate 200 units east, on the same floor or another. */
function onNuke(mateZ: number, plan: MatchPlan = {}): Match {
  const stand: MatchPlan['stand'] = (player, tick) => {
    const z = player === 0 ? UPPER : player === 1 ? mateZ : UPPER;
    return { x: player === 1 ? 200 : player * 400, y: player > 1 ? 4000 : tick, z, yaw: 0 };
  };
  return buildMatch({ map: 'de_nuke', stand, ...plan });
}

function around(match: Match, player: number, reach: number): Region {
  const view = createCamera(match, shot, options.width, options.height).at(TICK);
  const { x, y } = toScreen({ view, options }, playerAt(match, player, TICK) ?? { x: 0, y: 0 });
  const { width, height } = options;
  return {
    left: (x - reach) / width,
    right: (x + reach) / width,
    top: (y - reach) / height,
    bottom: (y + reach) / height,
  };
}

it('shows a player below fainter and with a sign, and hides their shots', () => {
  const fire = { weaponFires: [{ tick: TICK, player: 1, weapon: 'ak47' }] };
  const same = onNuke(UPPER);
  const below = onNuke(LOWER);
  const frames = [same, below].map((match) => paintFrame(match, [shot], options, FRAME));
  const [onSame = new Uint8Array(), onOther = new Uint8Array()] = frames;
  expect(changedPixels(onSame, onOther, options, around(same, 1, 10))).toBeGreaterThan(40);
  const withShot = (mateZ: number) => paintFrame(onNuke(mateZ, fire), [shot], options, FRAME);
  expect(changedPixels(onSame, withShot(UPPER), options)).toBeGreaterThan(100);
  expect(changedPixels(onOther, withShot(LOWER), options)).toBe(0);
});

it('blends from one floor to the next when the followed player takes the stairs', () => {
  const stand: MatchPlan['stand'] = (player, tick) => ({
    x: player * 300,
    y: player * 100,
    yaw: 0,
    z: player === 0 ? (tick < TICK ? UPPER : LOWER) : player % 2 === 0 ? UPPER : LOWER,
  });
  const match = buildMatch({ map: 'de_nuke', stand });
  const smooth = buildOptions({ fps: 32 });
  const at = (tick: number) => paintFrame(match, [shot], smooth, (tick - shot.startTick) / 2);
  const corner: Region = { left: 0, top: 0, right: 1, bottom: 0.3 };
  const [before, middle, after] = [at(TICK - 60), at(TICK - 2), at(TICK + 60)];
  expect(changedPixels(before, after, smooth, corner)).toBeGreaterThan(500);
  expect(changedPixels(before, middle, smooth, corner)).toBeGreaterThan(500);
  expect(changedPixels(middle, after, smooth, corner)).toBeGreaterThan(500);
});
