import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { clamp } from '../../../drawing/ease.ts';
import { COLOR } from '../../../drawing/theme.ts';
import type { Bounds, View } from '../camera/camera.ts';
import type { Footprint } from './footprint.ts';
import { createTones, floorIndex, REACH, STEPS_A_UNIT } from './map-tones.ts';
import type { PlacedImage } from './radar-picture.ts';

/** The map's picture: everything that a shot's camera sees, painted once. */
export interface MapPlate {
  /** Paints the part that `view` sees over all of the context's `width × height` pixels. */
  paint(ctx: SKRSContext2D, view: View, width: number, height: number): void;
}

/** Above this many pixels the plate is painted coarser: 20 million are 80 MB. */
const MAX_PIXELS = 20_000_000;
/** Spare pixels: the last row and column of a view may need the ones after them. */
const SPARE = 2;
/** How much of an operator's picture is seen. */
const PICTURE_STRENGTH = 0.55;
/** Units between two lines of the grid; every fourth is stronger. */
const GRID = 128;

/**
 * Paints a footprint at `resolution` pixels a unit: floors lighter the higher they lie, a rim that catches light from
 * the north-west, a shadow and fading contour lines around, a faint grid.
 */
export function paintMapPlate(footprint: Footprint, bounds: Bounds, resolution: number): MapPlate {
  const scale = scaleFor(bounds, resolution);
  return plateOf(toCanvas(shade(footprint, bounds, scale)), bounds, scale);
}

/** Paints an operator's picture of the map instead, dimmed, so that players stay what is brightest. */
export function paintRadarPlate(picture: PlacedImage, bounds: Bounds, resolution: number): MapPlate {
  const scale = scaleFor(bounds, resolution);
  const canvas = createCanvas(
    Math.ceil((bounds.maxX - bounds.minX) * scale) + SPARE,
    Math.ceil((bounds.maxY - bounds.minY) * scale) + SPARE,
  );
  const ctx = canvas.getContext('2d', { alpha: false });
  ctx.fillStyle = COLOR.background;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.imageSmoothingQuality = 'high';
  ctx.globalAlpha = PICTURE_STRENGTH;
  const { image, x, y, width, height } = picture;
  ctx.drawImage(image, (x - bounds.minX) * scale, (bounds.maxY - y) * scale, width * scale, height * scale);
  return plateOf(canvas, bounds, scale);
}

function scaleFor(bounds: Bounds, resolution: number): number {
  const area = (bounds.maxX - bounds.minX) * (bounds.maxY - bounds.minY);
  return Math.min(resolution, Math.sqrt(MAX_PIXELS / area));
}

function plateOf(full: Canvas, bounds: Bounds, scale: number): MapPlate {
  const levels = new Map<number, Canvas>([[scale, full]]);
  return {
    paint(ctx, { x, y, zoom, isHeld }, width, height) {
      const left = width / 2 + (bounds.minX - x) * zoom;
      const top = height / 2 + (y - bounds.maxY) * zoom;
      if (!isHeld) {
        const factor = zoom / scale;
        ctx.setTransform(factor, 0, 0, factor, left, top);
        ctx.drawImage(full, 0, 0);
        ctx.resetTransform();
        return;
      }
      // A copy at a held zoom goes on the picture pixel by pixel, a third of the cost of resampling it in every frame.
      let level = levels.get(zoom);
      if (level === undefined) {
        level = resized(full, zoom / scale);
        levels.set(zoom, level);
      }
      ctx.drawImage(level, Math.round(left), Math.round(top));
    },
  };
}

function toCanvas(image: ImageData): Canvas {
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d', { alpha: false }).putImageData(image, 0, 0);
  return canvas;
}

function resized(full: Canvas, factor: number): Canvas {
  const canvas = createCanvas(Math.ceil(full.width * factor), Math.ceil(full.height * factor));
  const ctx = canvas.getContext('2d', { alpha: false });
  ctx.imageSmoothingQuality = 'medium';
  ctx.drawImage(full, 0, 0, full.width * factor, full.height * factor);
  return canvas;
}

function shade(footprint: Footprint, bounds: Bounds, scale: number): ImageData {
  const width = Math.ceil((bounds.maxX - bounds.minX) * scale) + SPARE;
  const height = Math.ceil((bounds.maxY - bounds.minY) * scale) + SPARE;
  const pixels = new Uint32Array(width * height);
  const tones = createTones(scale);
  const columns = axis(width, (i) => bounds.minX + (i + 0.5) / scale, footprint.x, footprint, footprint.width, scale);
  const rows = axis(height, (i) => (i + 0.5) / scale - bounds.maxY, -footprint.y, footprint, footprint.height, scale);
  const { edgeZone, grounds, floors, mixed } = tones;
  const [edges, levels, lights] = [0, 1, 2].map(() => new Float32Array(footprint.width)) as Lines;
  for (let row = 0, out = 0; row < height; row++) {
    const from = (rows.cell[row] ?? 0) * footprint.width;
    const down = rows.part[row] ?? 0;
    const rowGrid = rows.grid[row] ?? 0;
    blendRows(footprint.edge, from, down, edges);
    blendRows(footprint.level, from, down, levels);
    blendRows(footprint.light, from, down, lights);
    for (let column = 0; column < width; column++, out++) {
      const i = columns.cell[column] ?? 0;
      const right = columns.part[column] ?? 0;
      const grid = Math.max(rowGrid, columns.grid[column] ?? 0);
      const distance = between(edges, i, right);
      if (grid === 0 && distance < -edgeZone) {
        pixels[out] = grounds[Math.round(Math.min(-distance, REACH) * STEPS_A_UNIT)] ?? 0;
        continue;
      }
      const altitude = between(levels, i, right);
      const light = between(lights, i, right);
      const isPlain = grid === 0 && distance > edgeZone;
      pixels[out] = isPlain
        ? (floors[floorIndex(distance, altitude, light)] ?? 0)
        : mixed(distance, altitude, light, grid);
    }
  }
  return new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
}

type Lines = [Float32Array, Float32Array, Float32Array];

/** A row of pixels lies between two of cells. */
function blendRows(values: Float32Array, from: number, down: number, to: Float32Array): void {
  for (let i = 0; i < to.length; i++) {
    const upper = values[from + i] ?? 0;
    to[i] = upper + ((values[from + to.length + i] ?? 0) - upper) * down;
  }
}

function between(values: Float32Array, i: number, right: number): number {
  const a = values[i] ?? 0;
  return a + ((values[i + 1] ?? 0) - a) * right;
}

/** For each pixel along one axis: the cell before it, how far it is to the next, and how strong the grid is there. */
function axis(
  count: number,
  world: (i: number) => number,
  origin: number,
  { cell }: Pick<Footprint, 'cell'>,
  cells: number,
  scale: number,
) {
  const result = { cell: new Int32Array(count), part: new Float32Array(count), grid: new Float32Array(count) };
  const lineWidth = 1.1 / scale;
  for (let i = 0; i < count; i++) {
    const at = world(i);
    const position = clamp((at - origin) / cell, 0, cells - 1.001);
    result.cell[i] = Math.floor(position);
    result.part[i] = position - Math.floor(position);
    const line = Math.round(at / GRID);
    const off = Math.abs(at - line * GRID) / lineWidth;
    result.grid[i] = off > 1 ? 0 : (1 - off) * (line % 4 === 0 ? 1 : 0.4);
  }
  return result;
}
