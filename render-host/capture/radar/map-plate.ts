import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import { clamp, smoothstep } from '../../overlay/ease.ts';
import type { Bounds } from './camera.ts';
import type { Footprint } from './footprint.ts';

/** The map's picture: everything that the clip's cameras see, painted once. */
export interface MapPlate {
  readonly canvas: Canvas;
  /** World position of the picture's top left corner, and its pixels a unit. */
  readonly x: number;
  readonly y: number;
  readonly resolution: number;
}

/** Above this many pixels the plate is painted coarser: 26 million are 104 MB. */
const MAX_PIXELS = 26_000_000;
/** Units between two lines of the grid; every fourth is stronger. */
const GRID = 128;

const GROUND: Rgb = [9, 13, 18];
const LOW_FLOOR: Rgb = [25, 33, 42];
const HIGH_FLOOR: Rgb = [47, 60, 73];
const RIM: Rgb = [132, 163, 190];
const CONTOUR: Rgb = [74, 108, 136];

type Rgb = readonly [red: number, green: number, blue: number];

/**
 * Paints a footprint at `resolution` pixels a unit: floors lighter the higher they lie, a rim that catches light from the north-west, a
 * shadow and fading contour lines around, a faint grid.
 */
export function paintMapPlate(footprint: Footprint, bounds: Bounds, resolution: number): MapPlate {
  const area = (bounds.maxX - bounds.minX) * (bounds.maxY - bounds.minY);
  const scale = Math.min(resolution, Math.sqrt(MAX_PIXELS / area));
  const width = Math.ceil((bounds.maxX - bounds.minX) * scale) + 2;
  const height = Math.ceil((bounds.maxY - bounds.minY) * scale) + 2;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const lineWidth = 1.1 / scale;
  for (let row = 0; row < height; row++) {
    const worldY = bounds.maxY - (row + 0.5) / scale;
    const gridY = gridLine(worldY, lineWidth);
    const cellY = clamp((footprint.y - worldY) / footprint.cell, 0, footprint.height - 1.001);
    const top = Math.floor(cellY) * footprint.width;
    const down = cellY - Math.floor(cellY);
    for (let column = 0; column < width; column++) {
      const worldX = bounds.minX + (column + 0.5) / scale;
      const cellX = clamp((worldX - footprint.x) / footprint.cell, 0, footprint.width - 1.001);
      const left = Math.floor(cellX);
      const i = top + left;
      const right = cellX - left;
      const edge = blend(footprint.edge, i, footprint.width, right, down);
      const out = (row * width + column) * 4;
      const grid = Math.max(gridY, gridLine(worldX, lineWidth));
      if (edge < -2 / scale) paintGround(pixels, out, edge, grid);
      else {
        const level = blend(footprint.level, i, footprint.width, right, down);
        const light = blend(footprint.light, i, footprint.width, right, down);
        paintFloor(pixels, out, edge, level, light, grid, scale);
      }
    }
  }
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  return { canvas, x: bounds.minX, y: bounds.maxY, resolution: scale };
}

function blend(values: Float32Array, i: number, stride: number, right: number, down: number): number {
  const a = values[i] ?? 0;
  const b = values[i + 1] ?? 0;
  const c = values[i + stride] ?? 0;
  const d = values[i + stride + 1] ?? 0;
  const upper = a + (b - a) * right;
  return upper + (c + (d - c) * right - upper) * down;
}

function gridLine(world: number, lineWidth: number): number {
  const index = Math.round(world / GRID);
  const distance = Math.abs(world - index * GRID);
  if (distance > lineWidth) return 0;
  return (1 - distance / lineWidth) * (index % 4 === 0 ? 1 : 0.4);
}

/** Distances from the floor, in units, at which a contour line runs, and how strong it is. */
const CONTOURS: readonly (readonly [distance: number, strength: number])[] = [
  [46, 0.34],
  [104, 0.22],
  [174, 0.14],
  [256, 0.08],
];

function paintGround(pixels: Uint8ClampedArray, out: number, edge: number, grid: number): void {
  const distance = -edge;
  let line = 0;
  for (const [at, strength] of CONTOURS) {
    const off = Math.abs(distance - at);
    if (off < 2.4) line = Math.max(line, (1 - off / 2.4) * strength);
  }
  const glow = Math.exp(-distance / 150) * 0.1;
  const tint = Math.min(line + glow + grid * 0.06, 1);
  const shadow = 1 - 0.55 * Math.exp(-distance / 16);
  for (let c = 0; c < 3; c++) {
    const base = GROUND[c] ?? 0;
    pixels[out + c] = (base + ((CONTOUR[c] ?? 0) - base) * tint) * shadow;
  }
  pixels[out + 3] = 255;
}

function paintFloor(
  pixels: Uint8ClampedArray,
  out: number,
  edge: number,
  level: number,
  light: number,
  grid: number,
  scale: number,
): void {
  const cover = smoothstep(-1.4 / scale, 1.4 / scale, edge);
  const shade = 1 - 0.2 * Math.exp(-edge / 34);
  const rim = Math.exp(-(edge * edge) / 22) * (0.42 + 0.34 * light) + Math.exp(-edge / 24) * Math.max(light, 0) * 0.16;
  for (let c = 0; c < 3; c++) {
    const low = LOW_FLOOR[c] ?? 0;
    const floor = (low + ((HIGH_FLOOR[c] ?? 0) - low) * level) * shade + grid * 5;
    const lit = floor + ((RIM[c] ?? 0) - floor) * rim;
    const ground = (GROUND[c] ?? 0) * 0.5;
    pixels[out + c] = ground + (lit - ground) * cover;
  }
  pixels[out + 3] = 255;
}
