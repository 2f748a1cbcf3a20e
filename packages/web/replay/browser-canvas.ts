import { type Canvas, type Context2D, setCanvasKit } from '#scene/drawing/canvas.ts';
import { FONT } from '#scene/drawing/fonts.ts';

/** The characters of the shipped faces in two parts, as CSS writes them: what all pictures need, and what names may. */
export const FONT_PARTS = {
  latin: 'U+0-17F, U+2010-2026, U+20AC, U+2122',
  more: 'U+180-52F, U+1D00-200F, U+2027-206F, U+20A0-20AB, U+20AD-20BF, U+2100-2121, U+2123-218F',
} as const;

/** The names of the files of a face begin with these: `text-latin.woff2`. */
export const FONT_FILES = { 'Clip Text': 'text', 'Clip Display': 'display' } as const;

/** Hands the scene the browser's canvas. Letters that the shipped faces lack come from the system's fonts. */
export function useBrowserCanvas(): void {
  setCanvasKit({
    createCanvas: (width, height) => new OffscreenCanvas(width, height) as Canvas,
    createPath: (text) => new Path2D(text),
    familiesFor: () => [],
  });
}

/** Returns what a scene paints on to fill a canvas of the page. */
export function contextOf(canvas: HTMLCanvasElement): Context2D {
  return canvas.getContext('2d', { alpha: false }) as Context2D;
}

/**
 * Loads the shipped faces from the folder at `address`, as far as `texts` and the numbers and words of a picture need
 * them. A scene that was created before draws its names in the system's fonts.
 *
 * @throws if a file cannot be loaded.
 */
export async function loadFonts(address: string, texts: string): Promise<void> {
  for (const family of Object.values(FONT)) {
    for (const [part, unicodeRange] of Object.entries(FONT_PARTS)) {
      // `font` names a weight for other scripts, for which the browser must not make these letters bolder.
      const face = { unicodeRange, weight: '1 1000' };
      document.fonts.add(new FontFace(family, `url(${address}/${FONT_FILES[family]}-${part}.woff2)`, face));
    }
  }
  await Promise.all(Object.values(FONT).map((family) => document.fonts.load(`20px "${family}"`, `0${texts}`)));
}
