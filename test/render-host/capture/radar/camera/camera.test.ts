import { describe, expect, it } from 'vitest';
import { createCamera } from '../../../../../render-host/capture/radar/camera/camera.ts';
import { playerAt, shortTurn } from '../../../../../render-host/match/player-state.ts';
import { buildKill, buildMatch, buildShot } from '../../../builders.ts';

const kill = buildKill({ tick: 256, victim: 5 });
const far = buildMatch({
  ticks: 512,
  kills: [kill],
  stand: (player, tick) => ({ x: player === 5 ? 2300 : tick / 4, y: player * 40, yaw: 0 }),
});
const shot = buildShot({ startTick: 64, endTick: 448, kills: [kill] });

describe('the camera', () => {
  it('has both the player and the one he kills in the picture when the shot falls', () => {
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

  it('stays where the player died', () => {
    const death = buildKill({ tick: 128, attacker: 5, victim: 0 });
    const match = buildMatch({ ticks: 512, kills: [death], stand: (_, tick) => ({ x: tick, y: 0, yaw: 0 }) });
    const camera = createCamera(match, buildShot({ startTick: 64, endTick: 448 }), 1920, 1080);
    expect(Math.abs(camera.at(440).x - 127)).toBeLessThan(250);
  });
});

describe('a player between two ticks', () => {
  const match = buildMatch({
    stand: (_, tick) => ({ x: tick === 100 ? 0 : tick < 100 ? 40 : 3000, y: 0, yaw: tick % 2 === 0 ? 170 : -170 }),
  });

  it('turns the short way round', () => {
    expect(shortTurn(170, -170)).toBe(20);
    expect(shortTurn(-170, 170)).toBe(-20);
    expect(playerAt(match, 0, 50.5)?.yaw).toBeCloseTo(180);
  });

  it('jumps where he was put elsewhere, instead of flying there', () => {
    expect(playerAt(match, 0, 99.5)?.x).toBeCloseTo(20);
    expect(playerAt(match, 0, 100.5)?.x).toBe(0);
  });
});
