import { describe, expect, it } from 'vitest';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { buildShot } from '../../render-host/builders.ts';

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
