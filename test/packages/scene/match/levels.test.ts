import { describe, expect, test } from 'vitest';
import { composeMatch } from '#demo-writer/index.ts';
import { readLevels, walkedCells } from '#scene/match/levels.ts';
import type { SceneTracks } from '#scene/match/match.ts';
import { createVisibility } from '#scene/visibility.ts';
import { buildMatch, buildShot, type Stand } from '../../render-host/builders.ts';
import { readComposed } from '../../render-host/match/composed-demo.ts';

const FLOORS = [-640, -200] as const;
const OUTLINE = { map: 'de_towers', floors: FLOORS, lastTick: 1500 };

const withoutPlayers = (tracks: SceneTracks) => ({ ...tracks, flags: new Uint8Array(tracks.flags.length) });

describe('the levels of a written match of two floors', () => {
  test('are the script’s: each player is on the level of the script', async () => {
    const levels = readLevels(await readComposed(OUTLINE));
    expect(levels.splits).toHaveLength(1);
    for (const { players } of composeMatch(OUTLINE).frames()) {
      for (const [at, { z }] of players.entries()) {
        // The last player of each half walks a ramp, so they are on either level.
        if (at % 5 < 4) expect(levels.levelAt(z)).toBe(at < 5 ? 0 : 1);
      }
    }
  });

  test('have a footprint each, with the height of its floor', async () => {
    const levels = readLevels(await readComposed(OUTLINE));
    for (const [level, height] of FLOORS.entries()) {
      const floor = levels.footprint(level);
      const flat = [...floor.values()].filter((z) => Math.abs(z - height) < 16);
      expect(flat.length).toBeGreaterThan(40);
      expect(flat.length / floor.size).toBeGreaterThan(0.7);
    }
  });

  test('are known from the cells that the whole match walked, where a part of it has nobody', async () => {
    const whole = await readComposed(OUTLINE);
    const walked = Uint32Array.from(walkedCells(whole, Number.POSITIVE_INFINITY));
    const levels = readLevels({ ...whole, walked, tracks: withoutPlayers(whole.tracks) });
    expect(levels.splits).toHaveLength(1);
    expect(FLOORS.map(levels.levelAt)).toEqual([0, 1]);
    expect(levels.footprint(0).size).toBeGreaterThan(40);
    expect(readLevels({ ...whole, tracks: withoutPlayers(whole.tracks) }).splits).toEqual([]);
  });

  test('let nobody see through the floor, but along the ramp', async () => {
    const { isFloorBetween } = readLevels(await readComposed(OUTLINE));
    const on = (z: number, x = 160) => ({ x, y: 700, z });
    expect(isFloorBetween(on(FLOORS[0]), on(FLOORS[1]))).toBe(true);
    expect(isFloorBetween(on(FLOORS[1]), on(FLOORS[0], -160))).toBe(true);
    expect(isFloorBetween(on(FLOORS[1], -160), on(FLOORS[1]))).toBe(false);
    expect(isFloorBetween(on(FLOORS[0], 1500), on(FLOORS[1], 2200))).toBe(false);
  });
});

describe('a map', () => {
  test('of one floor has one level', async () => {
    const levels = readLevels(await readComposed({ map: 'de_plain', lastTick: 1500 }));
    expect(levels.splits).toEqual([]);
    expect(levels.levelAt(-9999)).toBe(0);
    expect(levels.footprint(0).size).toBeGreaterThan(50);
    expect(levels.isFloorBetween({ x: 160, y: 700, z: 0 }, { x: 160, y: 700, z: 500 })).toBe(false);
  });

  test.each([
    ['de_nuke', -495],
    ['de_vertigo', 11_700],
  ])('%s has its two, wherever the match went', (map, split) => {
    const levels = readLevels(buildMatch({ map }));
    expect(levels.splits).toEqual([split]);
    expect([split - 1, split + 1].map(levels.levelAt)).toEqual([0, 1]);
  });

  test('with a bridge over a street has one level', () => {
    const stand = (player: number, tick: number): Stand => {
      const along = (tick % 320) * 12 - 1900;
      const isBridge = player === 0;
      return { x: isBridge ? 0 : along, y: isBridge ? along / 10 : player * 64, z: isBridge ? 200 : 0, yaw: 0 };
    };
    expect(readLevels(buildMatch({ map: 'de_lanes', stand, ticks: 640 })).splits).toEqual([]);
  });
});

test('an opponent on the floor below is not seen, one on the same floor is', () => {
  const seenAt = (height: number): number => {
    const stand = (player: number, tick: number): Stand => {
      const x = ((tick * 7 + player * 130) % 900) - 450;
      if (player === 0) return { x: -300, y: 0, z: 300, yaw: 0 };
      if (player === 5) return { x: 300, y: 0, z: height, yaw: 180 };
      return { x, y: (player % 3) * 64, z: player < 5 ? 300 : 0, yaw: 90 };
    };
    const match = buildMatch({ map: 'de_towers', stand, ticks: 640 });
    const [series] = createVisibility(match, buildShot({ startTick: 100, endTick: 300 })).slice(5);
    return series?.at(200) ?? Number.NaN;
  };
  expect(seenAt(300)).toBe(1);
  expect(seenAt(0)).toBe(0);
});
