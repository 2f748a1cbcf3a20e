import type { CaptureOptions } from '../../../frames/frame-source.ts';
import type { FreeBytes } from '../../../machine/free-space.ts';
import { gameTrouble } from '../game/failure.ts';

/** What is left alone: for the clip, and so that a full disk is seen before it breaks a file. */
const RESERVE_BYTES = 1024 ** 3;
/** Of footage as it is encoded by default, generously: a busy test picture took 0.12. */
const BYTES_PER_PIXEL = 0.2;

/** @throws {RecordingFailure} `cs2_unavailable` when there is no room for footage of `seconds`. */
export async function checkRoom(
  free: FreeBytes,
  folder: string,
  options: CaptureOptions,
  seconds: number,
): Promise<void> {
  const { width, height, fps } = options;
  const needed = RESERVE_BYTES + width * height * fps * seconds * BYTES_PER_PIXEL;
  const available = await free(folder);
  if (available >= needed) return;
  throw gameTrouble(`the disk has ${megabytes(available)} free; recording needs ${megabytes(needed)}`);
}

/** @throws {RecordingFailure} `cs2_unavailable` when the disk has run so full that recording must stop. */
export async function checkReserve(free: FreeBytes, folder: string): Promise<void> {
  const available = await free(folder);
  if (available >= RESERVE_BYTES / 2) return;
  throw gameTrouble(`the disk ran full while recording: ${megabytes(available)} free`);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
