import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Size } from '#domain/clip/render-order.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { isBare } from '#scene/frames/clip-clock.ts';
import { drawPatch, type Patch } from '../drawing/host-canvas.ts';
import { type FrameSource, paintedOver } from '../frames/frame-source.ts';
import { MachineError } from '../machine/program.ts';
import { superviseChild } from '../machine/supervised-child.ts';
import type { ImageEnd } from './image-child.ts';

export type { Patch };

/** A picture of 4096 pixels each way takes 64 MB and a second. */
const LIMITS = { memoryMegabytes: 768, timeoutMs: 30_000 };

/**
 * Decodes an image (PNG, JPEG or WebP) for frames of a size. A watermark is drawn pixel by pixel at 1080 lines, in
 * proportion at others (docs/contract.md 4.1), and what does not fit the safe area is cut off. With the colour of a
 * background, it is a whole frame with the image in its middle, as large as fits. The image is untrusted and decoders
 * have faults, so a process without any secret decodes it.
 *
 * @throws if it is not an image, or takes too long or too much memory; a `MachineError` if the process does not
 * start, is killed from outside, or is aborted.
 */
export async function decodeImage(
  image: Uint8Array,
  { width, height }: Size,
  workDir: string,
  background = '',
  signal: AbortSignal = new AbortController().signal,
): Promise<Patch> {
  const { safe, scale } = layoutOf({ width, height });
  const size = background === '' ? safe : { width, height };
  const folder = await mkdtemp(join(workDir, 'image-'));
  try {
    const [path, outPath] = [join(folder, 'image'), join(folder, 'pixels')];
    await writeFile(path, image);
    const end = await superviseChild<ImageEnd>({
      module: new URL('./image-child.ts', import.meta.url),
      args: [path, outPath, `${Math.floor(size.width)}`, `${Math.floor(size.height)}`, `${scale}`, background],
      what: 'decoding the image',
      ...LIMITS,
      signal,
    });
    if (end.type !== 'done') throw end.isMachineError ? new MachineError(end.detail) : new Error(end.detail);
    return { pixels: await readFile(outPath), width: end.width, height: end.height };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a source whose frames have the watermark. */
export function withWatermark(source: FrameSource, watermark: Patch, size: Size): FrameSource {
  const { x, y } = layoutOf(size).safe;
  return paintedOver(source, (frame, _, content) => {
    if (!isBare(content)) drawPatch(watermark, frame, size.width, Math.ceil(x), Math.ceil(y));
  });
}
