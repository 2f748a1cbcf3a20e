import { createCanvas, Path2D } from '@napi-rs/canvas';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { setCanvasKit } from '#scene/drawing/canvas.ts';
import type { FrameContent } from '#scene/frames/clip-clock.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';
import { createVisibility } from '#scene/visibility.ts';
import {
  buildHurt,
  buildKill,
  buildMatch,
  buildOptions,
  buildShot,
  type MatchPlan,
  type Stand,
} from '../render-host/builders.ts';
import { changedPixels, hashOf, PROGRESS, TITLE } from '../render-host/frame-checks.ts';

const options = buildOptions({ onlyDeathnotices: false });
const match = buildMatch({ kills: [buildKill()] });
const scene = createScene(match, [liveShot(match, { startTick: 64, endTick: 256 }, 0)], options);

function painted(frame: number, content: FrameContent): Uint8Array {
  const canvas = createCanvas(options.width, options.height);
  scene.paint(canvas.getContext('2d', { alpha: false }), frame, content);
  return canvas.data();
}

it('live frames have neither titles nor the line of progress, and all else of a clip', () => {
  const [live, plain, full] = (['live', 'plain', 'full'] as const).map((content) => painted(8, content)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const lineOf = changedPixels(live, plain, options, PROGRESS);
  expect(lineOf).toBeGreaterThan(options.width);
  // The points of kills are above the line.
  expect(changedPixels(live, plain, options, { ...PROGRESS, top: 0, bottom: 0.97 })).toBe(0);
  expect(changedPixels(plain, full, options, TITLE)).toBeGreaterThan(200);
});

it('a live scene has the same frame however one gets there', () => {
  const forward = Array.from({ length: scene.frameCount }, (_, frame) => hashOf(painted(frame, 'live')));
  const backward = forward.map((_, i) => hashOf(painted(scene.frameCount - 1 - i, 'live'))).reverse();
  expect(backward).toEqual(forward);
});

/** Pixels of a copy of a part of the map, which is made when that part is first seen. */
const COPY = 512 * 512;

describe('scenes of parts of a recording', () => {
  /** Draws the first frame of a part, `height` high, over red. Returns it with the areas of the canvases it took. */
  function draw(walked: Uint32Array, startTick: number, height = 360) {
    const areas: number[] = [];
    onTestFinished(useHostCanvas);
    setCanvasKit({
      createCanvas(width, high) {
        areas.push(width * high);
        return createCanvas(width, high);
      },
      createPath: (text) => new Path2D(text),
      familiesFor: () => [],
    });
    const part = { ...match, walked };
    const size = { width: (height * 16) / 9, height };
    const shots = [liveShot(part, { startTick, endTick: startTick + 32 }, 0)];
    const canvas = createCanvas(size.width, size.height);
    const ctx = canvas.getContext('2d', { alpha: false });
    ctx.fillStyle = '#ff0000';
    ctx.fillRect(0, 0, size.width, size.height);
    createScene(part, shots, { ...options, ...size }).paint(ctx, 0, 'bare');
    return {
      pixels: canvas.data(),
      paintsMap: areas.some((area) => area !== COPY && area > (size.width * size.height) / 4),
    };
  }
  const cells = () => Uint32Array.from(walkedCells(match, Number.POSITIVE_INFINITY));

  it('paint the map once, until it has another size', () => {
    const walked = cells();
    const drawn = [draw(walked, 64), draw(walked, 100), draw(walked, 100, 180), draw(cells(), 100)];
    expect(drawn.map(({ paintsMap }) => paintsMap)).toEqual([true, false, true, true]);
  });

  it('fill the picture around it', () => {
    const { pixels } = draw(cells(), 64);
    const red = pixels.filter((value, i) => i % 4 === 0 && value === 255 && pixels[i + 1] === 0);
    expect(red).toHaveLength(0);
  });
});

const shot = buildShot({ startTick: 0, endTick: 256 });

/** Two against two: the player and a team mate in the west, the enemies 2 and 3 in the east. */
function seen(enemy: number, tick: number, stands: Partial<Record<number, Partial<Stand>>>, plan: MatchPlan = {}) {
  const stand = (player: number): Stand => ({
    x: player < 2 ? -500 : 500,
    y: player * 10,
    yaw: player < 2 ? 0 : 180,
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
