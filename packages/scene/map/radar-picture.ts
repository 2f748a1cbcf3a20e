import type { Picture } from '../canvas.ts';

/** An operator's picture of a map. */
export interface RadarPicture {
  /** Returns the picture of the floor at a height. */
  at(z: number): PlacedImage;
}

export interface PlacedImage {
  readonly image: Picture;
  /** The position of its north-west corner, in game units. */
  readonly x: number;
  readonly y: number;
  /** Width in game units. */
  readonly width: number;
  readonly height: number;
}
