import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createFootprint, distanceTransform, type Footprint, fillTriangle } from '#scene/map/footprint.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { buildHurt, buildKill, buildMatch, type Stand } from '../../render-host/builders.ts';

const BOUNDS = { minX: -600, minY: -400, maxX: 600, maxY: 400 };

/** One player walks a straight line from west to east, on the ground in the west and 200 units up in the east. */
const walk = (_player: number, tick: number): Stand => ({
  x: -400 + tick * 2.5,
  y: 0,
  z: tick < 160 ? 0 : 200,
  yaw: 0,
});
/** Cells far away that other matches walked: with as many, a way is as narrow as a street. */
const KNOWN = new Uint32Array(1500);
const everywhere = () => true;
const print = createFootprint(buildMatch({ players: [{}], stand: walk }), BOUNDS, everywhere, KNOWN);

/** Returns the value of the cell at a place of the world. */
function at(values: Float32Array, { x, y, cell, width }: Footprint, placeX: number, placeY: number): number {
  return values[Math.round((y - placeY) / cell) * width + Math.round((placeX - x) / cell)] ?? Number.NaN;
}

describe('the floor of a map', () => {
  it('is where players walked, and ends beside their way', () => {
    expect(at(print.edge, print, 0, 0)).toBeGreaterThan(60);
    expect(at(print.edge, print, 0, 60)).toBeGreaterThan(0);
    expect(at(print.edge, print, 0, 200)).toBeLessThan(-20);
    expect(at(print.edge, print, -590, 0)).toBeLessThan(0);
  });

  it('falls off evenly to both sides', () => {
    expect(at(print.edge, print, 0, 100)).toBeCloseTo(at(print.edge, print, 0, -100), 0);
  });

  it('is lit where its edge faces north-west, and dark on the other side', () => {
    expect(at(print.light, print, 0, 110)).toBeGreaterThan(0.5);
    expect(at(print.light, print, 0, -110)).toBeLessThan(-0.5);
  });

  it('is as high as those who walked there', () => {
    expect(at(print.level, print, -300, 0)).toBeLessThan(0.1);
    expect(at(print.level, print, 300, 0)).toBeGreaterThan(0.9);
  });

  it('is the same, but for the size of a cell, where a part of a match has the cells of the whole', () => {
    const whole = buildMatch({ players: [{}], stand: walk });
    const part = {
      ...whole,
      walked: Uint32Array.from(walkedCells(whole, 1000)),
      tracks: { ...whole.tracks, flags: new Uint8Array(whole.tracks.flags.length) },
    };
    const made = createFootprint(part, BOUNDS, everywhere, KNOWN);
    const places = Array.from(
      { length: 61 * 41 },
      (_, i) => [20 * (i % 61) - 600, 20 * Math.floor(i / 61) - 400] as const,
    );
    const apart = places.map(([x, y]) => Math.abs(at(made.edge, made, x, y) - at(print.edge, print, x, y)));
    expect(Math.max(...apart)).toBeLessThan(24);
  });

  it('counts nobody who is dead', () => {
    const dead = buildMatch({ players: [{}], stand: (player, tick) => ({ ...walk(player, tick), alive: false }) });
    const { edge } = createFootprint(dead, BOUNDS);
    expect(Math.max(...edge)).toBeLessThan(0);
  });

  it('is where a shot passed along it, but not through a wall', () => {
    const stand = (player: number, tick: number): Stand => ({ x: player === 0 ? -400 : 400, y: tick / 4 - 40, yaw: 0 });
    const hurts = [buildHurt({ tick: 160, attacker: 0, victim: 1 })];
    const between = (plan: Parameters<typeof buildMatch>[0]) => {
      const made = createFootprint(buildMatch({ players: [{}, {}], stand, ...plan }), BOUNDS, everywhere, KNOWN);
      return at(made.edge, made, 0, 0);
    };
    expect(between({})).toBeLessThan(-50);
    expect(between({ hurts })).toBeGreaterThan(5);
    const kills = [buildKill({ tick: 160, attacker: 0, victim: 1, wallbang: true })];
    expect(between({ hurts, kills })).toBeLessThan(-50);
    expect(between({ hurts: [buildHurt({ ...hurts[0], weapon: 'inferno' })] })).toBeLessThan(-50);
  });

  it('is where somebody was in sight along it, as far as both moved meanwhile, and ends where the sight ended', () => {
    const stand = (player: number, tick: number): Stand => ({ x: player === 0 ? -450 : 450, y: tick - 160, yaw: 0 });
    const sights = [{ player: 1, by: 0, startTick: 60, endTick: 220 }];
    const seen = (plan: Parameters<typeof buildMatch>[0]) =>
      createFootprint(buildMatch({ players: [{}, {}], stand, ...plan }), BOUNDS, everywhere, KNOWN);
    const open = seen({ sights });
    expect([-90, -40, 0, 20].map((y) => at(open.edge, open, 0, y) > 10)).toEqual([true, true, true, true]);
    expect([-210, 110].map((y) => at(open.edge, open, 0, y) < -20)).toEqual([true, true]);
    const closed = seen({});
    expect(at(closed.edge, closed, 0, -40)).toBeLessThan(-50);
    const above = (player: number, tick: number): Stand => ({ ...stand(player, tick), z: player * 100 });
    const rising = seen({ sights, stand: above });
    expect(at(rising.edge, rising, 0, -40)).toBeLessThan(-50);
  });

  it('is wider the less of it is known, so that few steps make a place, and has a least width', () => {
    const known = [0, 1500, 100_000, 150_000].map((cells) => new Uint32Array(cells));
    const widths = known.map((cells) => {
      const made = createFootprint(buildMatch({ players: [{}], stand: walk }), BOUNDS, everywhere, cells);
      return Math.round(at(made.edge, made, 0, 0));
    });
    expect(widths).toEqual([330, 103, 24, 24]);
  });
});

/** Computes the distances by comparing each pair of cells. */
function bySearch(isSet: Uint8Array, width: number): number[] {
  const set = [...isSet.keys()].filter((i) => isSet[i] === 1).map((i) => [i % width, Math.floor(i / width)] as const);
  return Array.from(isSet, (_, i) =>
    Math.min(...set.map(([x, y]) => Math.hypot(x - (i % width), y - Math.floor(i / width)))),
  );
}

test('every cell is as far from the nearest set one as a search finds, and names one that is so far', () => {
  const grid = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
    .chain(([width, height]) =>
      fc.record({
        width: fc.constant(width),
        height: fc.constant(height),
        cells: fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: width * height, maxLength: width * height }),
      }),
    )
    .filter(({ cells }) => cells.includes(1));
  fc.assert(
    fc.property(grid, ({ width, height, cells }) => {
      const isSet = Uint8Array.from(cells);
      const { distance, nearest } = distanceTransform(isSet, width, height);
      for (const [i, expected] of bySearch(isSet, width).entries()) {
        expect(distance[i]).toBeCloseTo(expected, 5);
        const to = nearest[i] ?? -1;
        expect(isSet[to]).toBe(1);
        const apart = Math.hypot((to % width) - (i % width), Math.floor(to / width) - Math.floor(i / width));
        expect(apart).toBeCloseTo(expected, 5);
      }
    }),
    { numRuns: 200 },
  );
});

test('a grid with nothing set is far from everything', () => {
  expect([...distanceTransform(new Uint8Array(6), 3, 2).distance].every((distance) => distance > 1e5)).toBe(true);
});

/** Returns the cells of an 8 by 6 grid that a triangle touches, row by row. */
function filled(...corners: readonly (readonly [x: number, y: number])[]): string[] {
  const rows = Array.from({ length: 6 }, () => Array.from('........'));
  const places = corners.map(([x, y]) => ({ x, y }));
  fillTriangle(places, 8, 6, (column, row) => {
    const cells = rows[row];
    if (cells !== undefined) cells[column] = '#';
  });
  return rows.map((cells) => cells.join(''));
}

const EMPTY = '........';

it('a triangle fills the cells that it touches', () => {
  expect(filled([0, 0], [7, 0], [0, 5])).toEqual([
    '########',
    '#######.',
    '######..',
    '#####...',
    '###.....',
    '##......',
  ]);
});

it('a line leaves no gap, however flat or steep', () => {
  expect(filled([0, 1], [7, 2], [7, 2])).toEqual([EMPTY, '#####...', '....####', EMPTY, EMPTY, EMPTY]);
  expect(filled([3, 0], [3, 5], [3, 5])).toEqual(Array.from({ length: 6 }, () => '...#....'));
  expect(filled([2, 3], [6, 3], [6, 3])).toEqual([EMPTY, EMPTY, EMPTY, '..#####.', EMPTY, EMPTY]);
});

it('cells outside of the grid are left out', () => {
  expect(filled([-20, 2], [20, 2], [20, 2])).toEqual([EMPTY, EMPTY, '########', EMPTY, EMPTY, EMPTY]);
  expect(filled([20, 20], [30, 20], [20, 30])).toEqual(Array.from({ length: 6 }, () => EMPTY));
});
