import { describe, expect, it, test } from 'vitest';
import { composeMatch } from '#demo-writer/index.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { readLevels, walkedCells } from '#scene/match/levels.ts';
import type { SceneTracks } from '#scene/match/match.ts';
import { playerAt, shortTurn } from '#scene/match/player-state.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { createVisibility } from '#scene/visibility.ts';
import { readComposed } from '#test/packages/render-host/match/real-demos.ts';
import { buildKill, buildMatch, buildShot, type Stand } from '../../render-host/builders.ts';

const FLOORS = [-640, -200] as const;
const OUTLINE = { map: 'de_towers', floors: FLOORS, lastTick: 1500 };

const withoutPlayers = (tracks: SceneTracks) => ({ ...tracks, flags: new Uint8Array(tracks.flags.length) });

describe('the levels of a written match of two floors', () => {
  test('are the script’s: each player is on the level of the script', { tags: ['long'] }, async () => {
    const levels = readLevels(await readComposed(OUTLINE));
    expect(levels.splits).toHaveLength(1);
    for (const { players } of composeMatch(OUTLINE).frames()) {
      for (const [at, { z }] of players.entries()) {
        // The last player of each half walks a ramp, so they are on either level.
        if (at % 5 < 4) expect(levels.levelAt(z)).toBe(at < 5 ? 0 : 1);
      }
    }
  });

  test('have a footprint each, with the height of its floor', { tags: ['long'] }, async () => {
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

it('a live shot follows a player, with the enemies that they kill in it', () => {
  const own = buildKill({ tick: 128 });
  const others = [
    buildKill({ tick: 99 }),
    buildKill({ tick: 130, attacker: 1 }),
    buildKill({ tick: 140, victim: 1, victimTeam: 'CT' }),
    buildKill({ tick: 200 }),
  ];
  const match = buildMatch({ kills: [own, ...others] });
  expect(liveShot(match, { startTick: 100, endTick: 200 }, 0)).toEqual({
    startTick: 100,
    endTick: 200,
    pov: 0,
    subject: 0,
    kills: [own],
    speeds: [],
    round: match.rounds[0]?.number,
  });
});

const shots = [buildShot({ startTick: 64, endTick: 128 }), buildShot({ startTick: 640, endTick: 704 })];

describe('the clip clock', () => {
  it('lets frame n of a shot show second n / fps of it', () => {
    const clock = createClipClock(shots, 64, 16);
    expect(clock.at(0)).toMatchObject({ shotIndex: 0, tick: 64, sinceShotStart: 0, untilShotEnd: 1 });
    expect(clock.at(5)).toMatchObject({ shotIndex: 0, tick: 84 });
    expect(clock.at(16)).toMatchObject({ shotIndex: 1, tick: 640 });
  });

  it('shows times between two ticks where the frame rate asks for it', () => {
    expect(createClipClock(shots, 64, 120).at(1).tick).toBeCloseTo(64 + 64 / 120);
  });

  it('finds the frame of a tick, and stays in the shot', () => {
    const clock = createClipClock(shots, 64, 30);
    expect(clock.frameOf(1, 672)).toBe(45);
    expect(clock.frameOf(0, 9999)).toBe(29);
    expect(clock.frameOf(1, 0)).toBe(30);
  });

  it('shows the ticks of a slow shot more slowly', () => {
    const slow = buildShot({ startTick: 64, endTick: 128, speeds: [{ tick: 0, speed: 0.5 }] });
    const clock = createClipClock([slow, ...shots], 64, 16);
    expect(clock.shotStarts).toEqual([0, 32, 48]);
    expect(clock.at(16)).toMatchObject({ shotIndex: 0, tick: 96, sinceShotStart: 1, untilShotEnd: 1 });
    expect(clock.frameOf(0, 96)).toBe(16);
  });

  it('knows no frame outside the clip', () => {
    const clock = createClipClock(shots, 64, 30);
    expect(() => clock.at(60)).toThrow(RangeError);
    expect(() => clock.at(-1)).toThrow(RangeError);
  });
});

const walk = buildMatch({
  stand: (player, tick) => ({ x: tick * 2, y: -tick, z: player, yaw: 179 + tick, health: 80 }),
});

describe('a player at a moment', () => {
  it('is at the position of a tick, and between two of them in between', () => {
    expect(playerAt(walk, 3, 10)).toMatchObject({ x: 20, y: -10, z: 3, health: 80, alive: true, team: 'CT' });
    expect(playerAt(walk, 7, 10.25)).toMatchObject({ x: 20.5, y: -10.25, team: 'T' });
  });

  it('turns the short way round', () => {
    const turning = buildMatch({ stand: (_, tick) => ({ x: 0, y: 0, yaw: tick === 0 ? 170 : -170 }) });
    expect(playerAt(turning, 0, 0.5)?.yaw).toBe(180);
    expect([shortTurn(170, -170), shortTurn(-170, 170), shortTurn(10, 30)]).toEqual([20, -20, 20]);
  });

  it('does not glide through a teleport, nor from life to death', () => {
    const jump = buildMatch({ stand: (_, tick) => ({ x: tick < 5 ? 0 : 101, y: 0, yaw: 0 }) });
    expect([4.5, 5].map((tick) => playerAt(jump, 0, tick)?.x)).toEqual([0, 101]);
    const killed = buildMatch({ kills: [buildKill({ tick: 100, victim: 5 })] });
    expect(playerAt(killed, 5, 99.5)).toEqual(playerAt(killed, 5, 99));
  });

  it('stays where the recording begins and ends', () => {
    expect(playerAt(walk, 0, -50)).toEqual(playerAt(walk, 0, 0));
    expect(playerAt(walk, 0, 9999)).toEqual(playerAt(walk, 0, 319));
  });

  it('is null while they are not in the match', () => {
    const empty = buildMatch();
    empty.tracks.flags.fill(0, 9 * 320);
    expect(playerAt(empty, 9, 10)).toBeNull();
  });
});
