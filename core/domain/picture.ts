/** Heights in pixels that a clip's picture may have. Every picture is 16 to 9. */
export const RESOLUTIONS = [1080, 1440] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** In pixels, of a picture so many pixels high. */
export function widthOf(height: number): number {
  return Math.round((height * 16) / 9);
}

/** Pixels of every thumbnail. */
export const THUMBNAIL = { width: widthOf(720), height: 720 } as const;
