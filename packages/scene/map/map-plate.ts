import type { Bounds, CameraView } from '../camera/camera.ts';
import { type Canvas, type Context2D, createCanvas, type Picture } from '../drawing/canvas.ts';
import { COLOR, clamp, kept } from '../drawing/theme.ts';
import type { Footprint } from './footprint.ts';
import { createTones, floorIndex, REACH, STEPS_A_UNIT } from './map-tones.ts';

/** An operator's picture of a map: returns that of the floor at a height. */
export type RadarPicture = (z: number) => PlacedImage;

export interface PlacedImage {
  readonly image: Picture;
  /** The position of its north-west corner, in game units. */
  readonly x: number;
  readonly y: number;
  /** Width in game units. */
  readonly width: number;
  readonly height: number;
}

/**
 * The picture of the map, with all that a shot's camera sees, painted once. Paints the part that `view` shows over all
 * `width × height` pixels of the context.
 */
export type MapPlate = (ctx: Context2D, view: CameraView, width: number, height: number) => void;

/** A plate with more pixels is painted coarser, because a canvas takes some ten bytes for each. */
const MAX_PIXELS = 9_000_000;
/** Pixels of a side of the copies at a held zoom, and the most that are kept; 1440 lines need no more. */
const TILE = 512;
const MOST_TILES = 24;
/** Rows that are painted at a time, because their pixels are in memory twice. */
const STRIP = 64;
/** Spare pixels: the last row and column of a view may need the ones after them. */
const SPARE = 2;
/**
 * How the brightness of an operator's picture is set: it is measured at `side` × `side` pixels, without those up to
 * the grey `ground`, and their median becomes `middle`, the grey of our own floor. Greys are 0 to 255.
 */
const PICTURE = { side: 64, middle: 104, ground: 24 };
/** Units between two lines of the grid. Every fourth is stronger. */
const GRID = 128;

/**
 * Paints a footprint at `resolution` pixels a unit: floors are warmer the higher they are, with a rim lit from the
 * north-west, a shadow and fading contour lines around them, and a faint grid.
 */
export function paintMapPlate(footprint: Footprint, bounds: Bounds, resolution: number): MapPlate {
  const scale = scaleFor(bounds, resolution);
  return plateOf(shade(footprint, bounds, scale), bounds, scale);
}

/** Paints an operator's picture of the map, as bright as our own floor, so that players are the brightest. */
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
  ctx.filter = `brightness(${brightnessOf(picture)})`;
  const { image, x, y, width, height } = picture;
  ctx.drawImage(image, (x - bounds.minX) * scale, (bounds.maxY - y) * scale, width * scale, height * scale);
  return plateOf(canvas, bounds, scale);
}

/** Returns the factor that makes the floor of a picture as bright as our own. */
function brightnessOf({ image }: PlacedImage): number {
  const ctx = createCanvas(PICTURE.side, PICTURE.side).getContext('2d');
  ctx.drawImage(image, 0, 0, PICTURE.side, PICTURE.side);
  const { data } = ctx.getImageData(0, 0, PICTURE.side, PICTURE.side);
  const greys: number[] = [];
  for (let i = 0; i < data.length; i += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = [data[i], data[i + 1], data[i + 2], data[i + 3]];
    greys.push(((0.21 * red + 0.72 * green + 0.07 * blue) * alpha) / 255);
  }
  const floor = greys.filter((grey) => grey > PICTURE.ground).sort((a, b) => a - b);
  return PICTURE.middle / (floor[floor.length >> 1] ?? PICTURE.middle);
}

function scaleFor(bounds: Bounds, resolution: number): number {
  const area = (bounds.maxX - bounds.minX) * (bounds.maxY - bounds.minY);
  return Math.min(resolution, Math.sqrt(MAX_PIXELS / area));
}

function plateOf(full: Canvas, bounds: Bounds, scale: number): MapPlate {
  let tiles = { zoom: scale, kept: new Map<string, Canvas>() };

  function paintTile(column: number, row: number, zoom: number): Canvas {
    const tile = createCanvas(TILE, TILE);
    const ctx = tile.getContext('2d', { alpha: false });
    ctx.imageSmoothingQuality = 'medium';
    ctx.setTransform(zoom / scale, 0, 0, zoom / scale, -column * TILE, -row * TILE);
    ctx.drawImage(full, 0, 0);
    for (const oldest of tiles.kept.keys()) if (tiles.kept.size >= MOST_TILES) tiles.kept.delete(oldest);
    return tile;
  }

  return (ctx, { x, y, zoom, isHeld }, width, height) => {
    const left = width / 2 + (bounds.minX - x) * zoom;
    const top = height / 2 + (y - bounds.maxY) * zoom;
    if (!isHeld) {
      ctx.setTransform(zoom / scale, 0, 0, zoom / scale, left, top);
      ctx.drawImage(full, 0, 0);
      ctx.resetTransform();
      return;
    }
    const [west, north] = [Math.round(left), Math.round(top)];
    if (zoom === scale) {
      ctx.drawImage(full, west, north);
      return;
    }
    // At a held zoom, copies are drawn pixel by pixel, for a third of the cost of resampling each frame.
    if (tiles.zoom !== zoom) tiles = { zoom, kept: new Map() };
    for (let row = Math.floor(-north / TILE); north + row * TILE < height; row++) {
      for (let column = Math.floor(-west / TILE); west + column * TILE < width; column++) {
        const tile = kept(tiles.kept, `${column} ${row}`, () => paintTile(column, row, zoom));
        ctx.drawImage(tile, west + column * TILE, north + row * TILE);
      }
    }
  };
}

function shade(footprint: Footprint, bounds: Bounds, scale: number): Canvas {
  const width = Math.ceil((bounds.maxX - bounds.minX) * scale) + SPARE;
  const height = Math.ceil((bounds.maxY - bounds.minY) * scale) + SPARE;
  const { edgeZone, grounds, floors, mixed } = createTones(scale);
  const columns = axis(width, (i) => bounds.minX + (i + 0.5) / scale, footprint.x, footprint, footprint.width, scale);
  const rows = axis(height, (i) => (i + 0.5) / scale - bounds.maxY, -footprint.y, footprint, footprint.height, scale);
  const [edges, levels, lights] = [0, 1, 2].map(() => new Float32Array(footprint.width)) as Lines;
  const paintRow = (row: number, pixels: Uint32Array): void => {
    const from = (rows.cell[row] ?? 0) * footprint.width;
    const down = rows.part[row] ?? 0;
    const rowGrid = rows.grid[row] ?? 0;
    blendRows(footprint.edge, from, down, edges);
    blendRows(footprint.level, from, down, levels);
    blendRows(footprint.light, from, down, lights);
    for (let column = 0; column < width; column++) {
      const i = columns.cell[column] ?? 0;
      const right = columns.part[column] ?? 0;
      const grid = Math.max(rowGrid, columns.grid[column] ?? 0);
      const distance = between(edges, i, right);
      if (grid === 0 && distance < -edgeZone) {
        pixels[column] = grounds[Math.round(Math.min(-distance, REACH) * STEPS_A_UNIT)] ?? 0;
        continue;
      }
      const altitude = between(levels, i, right);
      const light = between(lights, i, right);
      const isPlain = grid === 0 && distance > edgeZone;
      pixels[column] = isPlain
        ? (floors[floorIndex(distance, altitude, light)] ?? 0)
        : mixed(distance, altitude, light, grid);
    }
  };
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d', { alpha: false });
  // The last strip may extend below the canvas.
  const strip = ctx.createImageData(width, STRIP);
  const pixels = new Uint32Array(strip.data.buffer, strip.data.byteOffset, width * STRIP);
  for (let top = 0; top < height; top += STRIP) {
    const count = Math.min(STRIP, height - top);
    for (let row = 0; row < count; row++) paintRow(top + row, pixels.subarray(row * width, (row + 1) * width));
    ctx.putImageData(strip, 0, top);
  }
  return canvas;
}

type Lines = [Float32Array, Float32Array, Float32Array];

/** Computes a row of pixels between two rows of cells. */
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

/**
 * Computes for each pixel along an axis the cell before it, the fraction to the next one, and the strength of the grid.
 */
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
