/** Accepted heights of a clip in pixels. Every picture is 16 to 9. */
export const RESOLUTIONS = [1080, 1440] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Returns the width in pixels for a height. */
export function widthOf(height: number): number {
  return Math.round((height * 16) / 9);
}

/** The diameter of the play button in the middle of a thumbnail, as a part of the width: at most, for viewers. */
export const PLAY_BUTTON = 0.14;

/** Size of every thumbnail in pixels. */
export const THUMBNAIL = { width: widthOf(720), height: 720 } as const;
