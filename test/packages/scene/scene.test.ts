import { createCanvas, Path2D } from '@napi-rs/canvas';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { setCanvasKit } from '#scene/canvas.ts';
import type { FrameContent } from '#scene/frames/clip-clock.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';
import { buildKill, buildMatch, buildOptions } from '../render-host/builders.ts';
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
