import type { CaptureOptions } from '#scene/frames/capture-options.ts';
import type { FreeBytes } from '../../../machine/free-space.ts';
import { gameFailure } from '../game/failure.ts';

/** Bytes that recording leaves free: for the clip, and so that no full disk breaks a file. */
const RESERVE_BYTES = 1024 ** 3;
/** Bytes of footage a pixel with the default codec; a busy test picture took 0.12. */
const BYTES_PER_PIXEL = 0.2;

/** @throws {RecordingFailure} `cs2_unavailable` if the disk has no space for footage of so many frames. */
export async function checkRoom(
  free: FreeBytes,
  folder: string,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
  frames: number,
): Promise<void> {
  const needed = RESERVE_BYTES + width * height * frames * BYTES_PER_PIXEL;
  const available = await free(folder);
  if (available >= needed) return;
  throw gameFailure(`the disk has ${megabytes(available)} free; recording needs ${megabytes(needed)}`);
}

/** @throws {RecordingFailure} `cs2_unavailable` if the disk is so full that recording must stop. */
export async function checkReserve(free: FreeBytes, folder: string): Promise<void> {
  const available = await free(folder);
  if (available >= RESERVE_BYTES / 2) return;
  throw gameFailure(`the disk ran full while recording: ${megabytes(available)} free`);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
