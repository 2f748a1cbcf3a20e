/** The largest output of an archive. */
export interface SizeLimits {
  readonly maxBytes: number;
  /** Output bytes for each input byte. Demos shrink to about a half; only bombs get near the limit. */
  readonly maxRatio: number;
}

/** The ratio does not apply to smaller outputs. */
const RATIO_COUNTS_FROM_BYTES = 64 * 1024 * 1024;

class TooLarge extends Error {}

/** Returns the limit for an archive of this size, in bytes. */
export function outputLimit(archiveBytes: number, { maxBytes, maxRatio }: SizeLimits): number {
  return Math.min(maxBytes, Math.max(RATIO_COUNTS_FROM_BYTES, archiveBytes * maxRatio));
}

/** @throws {TooLarge} */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new TooLarge(`it unpacks to more than the ${limit} bytes that are accepted`);
}
