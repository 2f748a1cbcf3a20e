import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Image, loadImage } from '@napi-rs/canvas';
import type { PlacedImage, RadarPicture } from '#scene/map/map-plate.ts';

/** `scale` of a description is units a pixel for this width, whatever the actual width of the picture. */
const DESCRIBED_WIDTH = 1024;
/** The names that the game's tools write. */
const ENDINGS = ['', '_radar', '_radar_psd'].flatMap((end) => ['png', 'jpg', 'webp'].map((type) => `${end}.${type}`));
const MAP_NAME = /^[a-z0-9_]+$/i;
const DEFAULT_SECTION = 'default';

/**
 * Loads the pictures of a map from a folder: `<map>.txt` as in the game (`pos_x`, `pos_y`, `scale`, and
 * `verticalsections` of a map with floors), with `<map>.png` and a `<map>_<section>.png` for each floor. Resolves with
 * null for a map without a description.
 *
 * @throws an Error with a text for the operator if the description or its picture cannot be used.
 */
export async function loadRadarPicture(folder: string, map: string): Promise<RadarPicture | null> {
  if (!MAP_NAME.test(map)) return null;
  const description = await readFile(join(folder, `${map}.txt`), 'utf8').catch(() => null);
  if (description === null) return null;
  const text = description.replace(/\/\/.*$/gm, '');
  const [x, y, scale] = ['pos_x', 'pos_y', 'scale'].map((name) => numberIn(text, name, map));
  if (x === undefined || y === undefined || scale === undefined || !(scale > 0)) {
    throw new Error(`${map}.txt has no scale above 0`);
  }
  const whole = await load(folder, map);
  if (whole === null) throw new Error(`there is no ${map}.png beside ${map}.txt`);
  const units = scale * DESCRIBED_WIDTH;
  const placed = (image: Image): PlacedImage => ({
    image,
    x,
    y,
    width: units,
    height: (units * image.height) / image.width,
  });
  const floors = await Promise.all(
    sectionsIn(text)
      .filter(({ name }) => name !== DEFAULT_SECTION)
      .map(async ({ name, low, high }) => ({ low, high, image: await load(folder, `${map}_${name}`) })),
  );
  return (z) => {
    const floor = floors.find(({ low, high, image }) => image !== null && z >= low && z < high);
    return placed(floor?.image ?? whole);
  };
}

/** Reads both `"pos_x" "-2476"` and `pos_x = -2476`. */
function numberIn(text: string, name: string, map: string): number {
  const found = new RegExp(`\\b${name}"?[\\s:=]+"?(-?\\d+(?:\\.\\d+)?)`).exec(text)?.[1];
  if (found === undefined) throw new Error(`${map}.txt has no ${name}`);
  return Number(found);
}

function sectionsIn(text: string): { readonly name: string; readonly low: number; readonly high: number }[] {
  const sections = text.slice(Math.max(text.indexOf('verticalsections'), 0)).matchAll(/"(\w+)"\s*\{([^{}]*)\}/g);
  return [...sections].flatMap(([, name = '', body = '']) => {
    const [high, low] = ['AltitudeMax', 'AltitudeMin'].map((end) =>
      Number(new RegExp(`"${end}"\\s+"(-?[\\d.]+)"`).exec(body)?.[1]),
    );
    return high === undefined || low === undefined || !(high > low) ? [] : [{ name, low, high }];
  });
}

async function load(folder: string, name: string): Promise<Image | null> {
  for (const ending of ENDINGS) {
    const path = join(folder, `${name}${ending}`);
    if (existsSync(path)) return loadImage(path);
  }
  return null;
}

/**
 * Frames in shared memory, on their way from the thread that draws to the one that encodes. A few are filled and
 * returned in order. The drawing thread blocks while all are in use, so frames never pile up.
 */
export interface FrameRing {
  readonly pixels: SharedArrayBuffer;
  /** [frames that the reader has returned, 1 once the writer must stop]. */
  readonly state: SharedArrayBuffer;
  readonly frameBytes: number;
  readonly capacity: number;
}

const RELEASED = 0;
const STOPPED = 1;

/** Two frames ahead of the reader keep either thread busy while the other is slow. */
export function createFrameRing(frameBytes: number, capacity = 3): FrameRing {
  return {
    pixels: new SharedArrayBuffer(frameBytes * capacity),
    state: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
    frameBytes,
    capacity,
  };
}

/** Returns the memory of a frame, for both threads. */
export function frameIn(ring: FrameRing, frame: number): Uint8Array {
  return new Uint8Array(ring.pixels, (frame % ring.capacity) * ring.frameBytes, ring.frameBytes);
}

/** Writer: blocks the thread until the place of `frame` is free. Returns false once the reader has stopped. */
export function waitForRoom(ring: FrameRing, frame: number): boolean {
  const state = new Int32Array(ring.state);
  for (;;) {
    if (Atomics.load(state, STOPPED) === 1) return false;
    const released = Atomics.load(state, RELEASED);
    if (frame - released < ring.capacity) return true;
    Atomics.wait(state, RELEASED, released);
  }
}

/** Reader: returns each frame before `frame`. */
export function releaseBefore(ring: FrameRing, frame: number): void {
  const state = new Int32Array(ring.state);
  Atomics.store(state, RELEASED, frame);
  Atomics.notify(state, RELEASED);
}

/** Reader: stops the writer. */
export function stopRing(ring: FrameRing): void {
  const state = new Int32Array(ring.state);
  Atomics.store(state, STOPPED, 1);
  Atomics.add(state, RELEASED, 1);
  Atomics.notify(state, RELEASED);
}
