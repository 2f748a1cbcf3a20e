import { describe, expect, it } from 'vitest';
import { createVisibility } from '#scene/visibility.ts';
import { buildHurt, buildKill, buildMatch, buildShot, type MatchPlan, type Stand } from '../render-host/builders.ts';

const shot = buildShot({ startTick: 0, endTick: 256 });

/** Two against two: the player and a team mate in the west, the enemies 2 and 3 in the east. */
function seen(enemy: number, tick: number, stands: Partial<Record<number, Partial<Stand>>>, plan: MatchPlan = {}) {
  const stand = (player: number): Stand => ({
    ...{ x: player < 2 ? -500 : 500, y: player * 10, yaw: player < 2 ? 0 : 180 },
    ...stands[player],
  });
  const match = buildMatch({ players: [{}, {}, {}, {}], stand, ...plan });
  return createVisibility(match, shot)[enemy]?.at(tick) ?? Number.NaN;
}

/** Both of the team look away. */
const away = { 0: { yaw: 180 }, 1: { yaw: 180 } };

describe('an opponent is seen', () => {
  it('by the player who looks at them', () => {
    expect(seen(2, 128, { 1: { yaw: 180 } })).toBe(1);
  });

  it('by a living team mate who does, not by a dead one', () => {
    expect(seen(2, 128, { 0: { yaw: 180 } })).toBe(1);
    expect(seen(2, 128, { 0: { yaw: 180 }, 1: { alive: false } })).toBe(0);
  });

  it('only within the angle and as far as one looks', () => {
    expect(seen(2, 128, away)).toBe(0);
    expect([44, 52].map((yaw) => seen(2, 128, { 0: { yaw }, 1: { yaw: 180 } }))).toEqual([1, 0]);
    expect([1800, 2000].map((x) => seen(2, 128, { 2: { x } }))).toEqual([1, 0]);
  });

  it('around a hit or a kill between the two sides, wherever anybody looks', () => {
    const hurts = [buildHurt({ tick: 128, attacker: 2, victim: 0 })];
    expect([20, 128, 240].map((tick) => seen(2, tick, away, { hurts }))).toEqual([0, 1, 0]);
    const kills = [buildKill({ tick: 128, attacker: 0, victim: 3 })];
    expect([20, 120].map((tick) => seen(3, tick, away, { kills }))).toEqual([0, 1]);
  });
});

describe('with the radar’s data, an opponent is seen', () => {
  const sight = (by: number, startTick: number, endTick: number) => ({
    sights: [{ player: 2, by, startTick, endTick }],
  });

  it('while they are on it, and not through a wall', () => {
    expect([40, 128, 240].map((tick) => seen(2, tick, away, sight(0, 100, 180)))).toEqual([0, 1, 0]);
    expect(seen(3, 128, {}, sight(0, 100, 180))).toBe(0);
  });

  it('by the eyes of the team, of those who live', () => {
    expect(seen(2, 128, {}, sight(1, 100, 180))).toBe(1);
    expect(seen(2, 128, { 1: { alive: false } }, sight(1, 100, 180))).toBe(0);
    expect(seen(2, 128, {}, sight(3, 100, 180))).toBe(0);
  });
});

describe('everybody else', () => {
  it('of the team is always seen', () => {
    expect(seen(1, 128, { 0: { yaw: 180 } })).toBe(1);
  });

  it('comes into sight and goes out of it softly', () => {
    const hurts = [buildHurt({ tick: 128, attacker: 2, victim: 0 })];
    const path = Array.from({ length: 30 }, (_, i) => seen(2, 60 + i, away, { hurts }));
    expect(path.some((value) => value > 0.2 && value < 0.8)).toBe(true);
    for (const [i, value] of path.entries()) expect(Math.abs(value - (path[i - 1] ?? value))).toBeLessThan(0.2);
  });
});
