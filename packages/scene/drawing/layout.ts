import { type Aspect, aspectOf, type Size } from '#domain/clip/render-order.ts';
import { clamp, type PanelBox } from './theme.ts';

/**
 * Margins of the area in which texts are not covered, in pixels at scale 1: left, top, right, bottom. At 9:16 they
 * clear what TikTok, Reels and Shorts put over a video (docs/decisions/073-shapes.md).
 */
const MARGINS: Readonly<Record<Aspect, readonly [number, number, number, number]>> = {
  '16:9': [0, 0, 0, 0],
  '9:16': [120, 288, 192, 672],
  '1:1': [32, 32, 32, 32],
  '4:5': [32, 32, 32, 32],
};

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where overlays are in a picture, in pixels. */
export interface Layout extends Size {
  /** 1 for a picture whose shorter side is 1080. */
  readonly scale: number;
  /** Whether the picture is laid out for 16:9, where the whole frame is safe and the HUD may be drawn. */
  readonly isWide: boolean;
  /** The area for texts. */
  readonly safe: PanelBox;
  /** The distance of the centre of `safe` from the picture's. */
  readonly shift: Place;
}

/** Returns the scale: 1 if the shorter side is 1080. */
export function scaleOf({ width, height }: Size): number {
  return Math.min(width, height) / 1080;
}

/** Returns the layout for a picture's size. */
export function layoutOf({ width, height }: Size): Layout {
  const aspect = aspectOf({ width, height });
  const scale = scaleOf({ width, height });
  const [left, top, right, bottom] = MARGINS[aspect];
  const across = width - (left + right) * scale;
  const safe = { x: left * scale, y: top * scale, width: across, height: height - (top + bottom) * scale };
  const shift = { x: ((left - right) * scale) / 2, y: ((top - bottom) * scale) / 2 };
  return { width, height, scale, isWide: aspect === '16:9', safe, shift };
}

/** Whether a box, given by its centre, is in another one. */
export function isWithin({ x, y, width, height }: PanelBox, area: PanelBox): boolean {
  return (
    x - width / 2 >= area.x &&
    y - height / 2 >= area.y &&
    x + width / 2 <= area.x + area.width &&
    y + height / 2 <= area.y + area.height
  );
}

/** Returns the place nearest to `at` for a box of a size at scale 1 in the safe area. At 16:9 a box may be cut off. */
export function clampToSafeArea({ safe, scale, isWide }: Layout, at: Place, size: Size): Place {
  if (isWide) return at;
  const [x, y] = [(size.width * scale) / 2, (size.height * scale) / 2];
  return {
    x: clamp(at.x, safe.x + x, safe.x + safe.width - x),
    y: clamp(at.y, safe.y + y, safe.y + safe.height - y),
  };
}
