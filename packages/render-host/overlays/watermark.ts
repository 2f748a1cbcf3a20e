import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isBare } from '#scene/frames/clip-clock.ts';
import { drawPatch, type Patch } from '../drawing/host-canvas.ts';
import { type FrameSource, paintedOver } from '../frames/frame-source.ts';
import { bareEnvironment, isCrash, MachineError, programEnd } from '../machine/program.ts';
import { watchMemory } from '../machine/supervised-child.ts';

export type { Patch };

const CHILD = fileURLToPath(new URL('./image-child.ts', import.meta.url));
/** A picture of 4096 pixels each way takes 64 MB and a second. */
const LIMITS = { bytes: 768 * 1024 ** 2, ms: 30_000 };

/**
 * Decodes an image (PNG, JPEG or WebP) for frames of a size. A watermark is drawn pixel by pixel at 1080 lines, in
 * proportion at others (docs/contract.md 4.1), and what does not fit is cut off. With the colour of a background, it is
 * a whole frame with the image in its middle, as large as fits. The image is untrusted and decoders have faults, so a
 * process without any secret decodes it.
 *
 * @throws if it is not an image, or takes too long or too much memory; a `MachineError` if the process does not
 * start, is killed from outside, or is aborted.
 */
export async function decodeImage(
  image: Uint8Array,
  frameWidth: number,
  frameHeight: number,
  background = '',
  signal?: AbortSignal,
): Promise<Patch> {
  const child = spawn(process.execPath, [CHILD, `${frameWidth}`, `${frameHeight}`, background], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    signal,
    killSignal: 'SIGKILL',
  });
  let overran: string | null = null;
  const overrun = (how: string) => {
    overran ??= how;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => overrun(`was not decoded after ${LIMITS.ms} ms`), LIMITS.ms);
  const endWatch = watchMemory(child.pid, LIMITS.bytes, () =>
    overrun(`took more than ${LIMITS.bytes} bytes of memory`),
  );
  const ended = programEnd(child, 'image decoder');
  // A process that ends early stops reading. Its exit status has the reason.
  child.stdin.on('error', () => {}).end(image);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
  const failure = await ended;
  clearTimeout(timer);
  endWatch();
  if (overran !== null) throw new Error(`the image ${overran}`);
  if (failure?.isMachineError && !isCrash(child.signalCode)) throw new MachineError(failure.detail);
  if (failure !== null) throw new Error(failure.detail);
  const output = Buffer.concat(chunks);
  const [width, height] = [output.readUInt32LE(0), output.readUInt32LE(4)];
  const pixels = Uint8Array.from(output.subarray(8));
  if (pixels.length !== width * height * 4) throw new Error('the image was not decoded whole');
  return { pixels, width, height };
}

/** Returns a source whose frames have the watermark. */
export function withWatermark(source: FrameSource, watermark: Patch, frameWidth: number): FrameSource {
  return paintedOver(source, (frame, _, content) => {
    if (!isBare(content)) drawPatch(watermark, frame, frameWidth, 0, 0);
  });
}
