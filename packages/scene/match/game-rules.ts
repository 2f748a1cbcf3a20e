import type { MapEffect } from './match.ts';

/** Length of the bomb's fuse in seconds, unless the server has set another. */
export const BOMB_FUSE_SECONDS = 40;

/** Returns the length of a bomb's fuse in seconds. */
export function fuseOf({ fuseSeconds = BOMB_FUSE_SECONDS }: Pick<MapEffect, 'fuseSeconds'>): number {
  return fuseSeconds;
}
