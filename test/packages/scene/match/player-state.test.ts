import { describe, expect, it } from 'vitest';
import { playerAt, shortTurn } from '#scene/match/player-state.ts';
import { buildKill, buildMatch } from '../../render-host/builders.ts';

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
