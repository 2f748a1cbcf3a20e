import { describe, expect, it, test } from 'vitest';
import type { Round } from '#render-host/match/match.ts';
import { createCamera, createSeries, createSoftSeries, STEP, sampleTicks, smoothed } from '#scene/camera/camera.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { buildKill, buildMatch, buildShot } from '../../render-host/builders.ts';

const kill = buildKill({ tick: 256, victim: 5 });
const far = buildMatch({
  ticks: 512,
  kills: [kill],
  stand: (player, tick) => ({ x: player === 5 ? 2300 : tick / 4, y: player * 40, yaw: 0 }),
});
const shot = buildShot({ startTick: 64, endTick: 448, kills: [kill] });

/** Pixels a second, cubed, at 1080 lines. */
const MOST_JERK = 20_000;
const DECIDED = {
  number: 1,
  startTick: 0,
  freezeEndTick: 0,
  officialEndTick: null,
  winner: 'CT',
  reason: null,
  score: null,
} as const satisfies Partial<Round>;

describe('the camera', () => {
  it('has both the player and their victim in the picture when the shot is fired', () => {
    const camera = createCamera(far, shot, 1920, 1080);
    const view = camera.at(kill.tick);
    for (const player of [0, 5]) {
      const at = playerAt(far, player, kill.tick - 1);
      expect(Math.abs(((at?.x ?? 0) - view.x) * view.zoom)).toBeLessThan(960);
      expect(Math.abs(((at?.y ?? 0) - view.y) * view.zoom)).toBeLessThan(540);
    }
  });

  it('moves smoothly, at any frame rate', () => {
    const camera = createCamera(far, shot, 1920, 1080);
    for (let tick = 65; tick < 448; tick++) {
      const a = camera.at(tick - 1);
      const b = camera.at(tick);
      expect(Math.hypot(b.x - a.x, b.y - a.y) * b.zoom).toBeLessThan(24);
      expect(Math.abs(Math.log(b.zoom / a.zoom))).toBeLessThan(0.03);
    }
  });

  it('sees the same part of the world at every resolution', () => {
    const small = createCamera(far, shot, 1920, 1080).at(200);
    const large = createCamera(far, shot, 2560, 1440).at(200);
    expect(large.zoom / small.zoom).toBeCloseTo(4 / 3);
    expect(large.x).toBeCloseTo(small.x);
  });

  it('is closer in a match in which nobody walks, and as far away as a fight needs even there', () => {
    const still = (away: number) =>
      buildMatch({ kills: [kill], ticks: 512, stand: (player) => ({ x: player === 5 ? away : 0, y: 0, yaw: 0 }) });
    const zoomOf = (match: typeof far, tick: number) => createCamera(match, shot, 1920, 1080).at(tick).zoom;
    expect(zoomOf(still(150), kill.tick)).toBe(1.32);
    expect(zoomOf(still(2300), kill.tick)).toBe(0.35);
  });

  it('stays where the player died', () => {
    const death = buildKill({ tick: 128, attacker: 5, victim: 0 });
    const match = buildMatch({ ticks: 512, kills: [death], stand: (_, tick) => ({ x: tick, y: 0, yaw: 0 }) });
    const camera = createCamera(match, buildShot({ startTick: 64, endTick: 448 }), 1920, 1080);
    expect(Math.abs(camera.at(440).x - 127)).toBeLessThan(250);
  });

  it('begins where a player will be who is dead when the shot begins', () => {
    const match = buildMatch({ ticks: 512, stand: (_, tick) => ({ x: 3000, y: 0, yaw: 0, alive: tick >= 160 }) });
    const camera = createCamera(match, buildShot({ startTick: 64, endTick: 448 }), 1920, 1080);
    expect(Math.abs(camera.at(64).x - 3000)).toBeLessThan(250);
  });
});

/** Returns the n-th random number, 0 to 1, the same each time. */
function random(...seed: number[]): number {
  let state = 0x9e3779b9;
  for (const part of seed) state = Math.imul(state ^ (part + 0x7f4a7c15), 0x85ebca6b) ^ (state >>> 13);
  state = Math.imul(state ^ (state >>> 16), 0xc2b2ae35);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}

/** Returns a player who runs sideways through a district, and looks elsewhere three times a second. */
function roam(seed: number, player: number, tick: number): { x: number; y: number; yaw: number } {
  const seconds = tick / 64;
  const way = (axis: number): number =>
    [0.13, 0.31, 1.1].reduce((sum, hertz, i) => {
      const phase = random(seed, player, axis, i) * 2 * Math.PI;
      return sum + (150 / (2 * Math.PI * hertz)) * Math.sin(2 * Math.PI * hertz * seconds + phase);
    }, 0);
  const home = (axis: number): number => (random(seed, player, axis + 7) - 0.5) * 1800;
  const yaw = random(seed, player, 99, Math.floor(seconds * 3)) * 360 - 180;
  return { x: home(0) + way(0), y: home(1) + way(1), yaw };
}

/** Fifty shots of four kills, of players who walk around. */
const roaming = Array.from({ length: 50 }, (_, seed) => {
  const kills = [220, 360, 430, 620].map((tick, i) =>
    buildKill({ tick: tick + Math.floor(random(seed, i, 5) * 60), victim: 5 + i }),
  );
  const match = buildMatch({ ticks: 900, kills, stand: (player, tick) => roam(seed, player, tick) });
  const fought = buildShot({ startTick: 40, endTick: 860, kills });
  return { match, kills, camera: createCamera(match, fought, 1920, 1080, kills.at(-1) ?? null) };
});

/** Pixels a second, cubed, of a fixed point in the middle of the picture, or towards its edge. */
function jerkOf({ camera }: (typeof roaming)[number], tick: number): number {
  const frame = 64 / 60;
  const now = camera.at(tick + 1.5 * frame);
  const edge = { x: now.x + 700 / now.zoom, y: now.y + 400 / now.zoom };
  const places = [now, edge].map((place) =>
    [0, 1, 2, 3].map((i) => {
      const view = camera.at(tick + i * frame);
      return { x: (place.x - view.x) * view.zoom, y: (place.y - view.y) * view.zoom };
    }),
  );
  const third = (values: readonly number[]): number =>
    ((values[3] ?? 0) - 3 * (values[2] ?? 0) + 3 * (values[1] ?? 0) - (values[0] ?? 0)) * 60 ** 3;
  return Math.max(...places.map((of) => Math.hypot(third(of.map(({ x }) => x)), third(of.map(({ y }) => y)))));
}

describe('the camera of fifty random shots', () => {
  it('jerks less than MOST_JERK pixels a second cubed, at 1080 lines', () => {
    const worst = roaming.map((one) => {
      let most = 0;
      for (let tick = 40; tick < 855; tick++) most = Math.max(most, jerkOf(one, tick));
      return most;
    });
    expect(Math.max(...worst)).toBeLessThan(MOST_JERK);
  });

  it('has the player and their victim in the picture from a second before each kill on', () => {
    for (const { match, kills, camera } of roaming) {
      for (const { tick, victim } of kills) {
        for (let now = tick - 64; now < tick; now += 8) {
          const view = camera.at(now);
          for (const player of [0, victim]) {
            const at = playerAt(match, player, now);
            expect(Math.abs(((at?.x ?? 0) - view.x) * view.zoom)).toBeLessThan(960 * 0.94);
            expect(Math.abs(((at?.y ?? 0) - view.y) * view.zoom)).toBeLessThan(540 * 0.94);
          }
        }
      }
    }
  });
});

describe('the end of a clip', () => {
  it('comes a little nearer for its last kill, and goes back', () => {
    const [plain, near] = [null, kill].map((finale) => createCamera(far, shot, 1920, 1080, finale));
    const ratio = (tick: number) => (near?.at(tick).zoom ?? 0) / (plain?.at(tick).zoom ?? 1);
    expect(ratio(kill.tick)).toBeGreaterThan(1.05);
    expect([ratio(kill.tick - 128), ratio(kill.tick + 160)]).toEqual([1, 1]);
  });

  it('is at rest once the round is decided, and comes along with who runs on', () => {
    const rounds = (endTick: number | null): Round[] => [{ ...DECIDED, endTick }];
    const stand = (_: number, tick: number) => ({ x: Math.sin(tick / 30) * 180, y: 0, yaw: tick * 3 });
    const speed = (endTick: number | null) => {
      const match = buildMatch({ ticks: 900, stand, rounds: rounds(endTick) });
      const camera = createCamera(match, buildShot({ startTick: 0, endTick: 880 }), 1920, 1080);
      return Math.max(...Array.from({ length: 300 }, (_, i) => Math.abs(camera.at(501 + i).x - camera.at(500 + i).x)));
    };
    expect(speed(null)).toBeGreaterThan(0.2);
    expect(speed(300)).toBeLessThan(0.02);
    const running = buildMatch({
      ticks: 900,
      stand: (_, tick) => ({ x: tick * 4, y: 0, yaw: 0 }),
      rounds: rounds(300),
    });
    const camera = createCamera(running, buildShot({ startTick: 0, endTick: 880 }), 1920, 1080);
    expect(Math.abs((3200 - camera.at(800).x) * camera.at(800).zoom)).toBeLessThan(300);
  });
});

test('samples lie a step apart and cover the whole span', () => {
  expect(sampleTicks(10, 10 + 2 * STEP)).toEqual([10, 10 + STEP, 10 + 2 * STEP]);
  expect(sampleTicks(10, 11)).toEqual([10, 10 + STEP]);
});

test('a series is read between its samples, and stays what it was before and after them', () => {
  const series = createSeries(100, Float64Array.of(0, 8, 4));
  expect(
    [90, 100, 100 + STEP / 4, 100 + STEP, 100 + 1.5 * STEP, 100 + 2 * STEP, 999].map((tick) => series.at(tick)),
  ).toEqual([0, 0, 2, 8, 6, 4, 4]);
});

test('a soft series keeps what is even, and its speed never jumps', () => {
  const even = createSoftSeries(0, new Float64Array(9).fill(3));
  expect([-5, 0, 7, 16, 99].map((tick) => even.at(tick))).toEqual([3, 3, 3, 3, 3]);
  const bump = createSoftSeries(0, Float64Array.of(0, 0, 0, 0, 8, 0, 0, 0, 0));
  const speed = (tick: number) => (bump.at(tick + 1e-4) - bump.at(tick - 1e-4)) / 2e-4;
  for (let i = 1; i < 8; i++) expect(speed(i * STEP - 1e-3)).toBeCloseTo(speed(i * STEP + 1e-3), 2);
  expect(bump.at(4 * STEP)).toBeCloseTo((8 * 4) / 6);
});

test('smoothing keeps what is even, spreads a jump to both sides alike, and looks as far back as ahead', () => {
  const step = Float64Array.from({ length: 21 }, (_, i) => (i < 10 ? 0 : 1));
  const soft = smoothed(step, 4);
  expect([...soft.subarray(0, 6)]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([...soft.subarray(14)].every((value) => Math.abs(value - 1) < 1e-12)).toBe(true);
  expect([...soft]).toEqual([...soft].toSorted((a, b) => a - b));
  for (let i = 0; i < 20; i++) expect((soft[i] ?? 0) + (soft[19 - i] ?? 0)).toBeCloseTo(1, 9);
});
