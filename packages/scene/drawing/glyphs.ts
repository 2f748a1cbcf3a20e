import { createCanvas } from '../canvas.ts';
import { FONT, font, isShipped } from './fonts.ts';

/** Marks and signs that are invisible alone. */
const BY_ITSELF_NOTHING = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
const NO_FONT_HAS = '\u{10fffd}';

const known = new Map<string, boolean>();

/** Whether a font has each character of a text: shipped, of a package, or of this machine. */
export function hasGlyphs(text: string): boolean {
  for (const character of text) {
    if (isShipped(character) || BY_ITSELF_NOTHING.test(character)) continue;
    let has = known.get(character);
    if (has === undefined) {
      has = hasGlyph(character);
      known.set(character, has);
    }
    if (!has) return false;
  }
  return true;
}

/** Whether a letter looks different from a missing one, and from nothing. */
function hasGlyph(letter: string): boolean {
  const pixels = (text: string): ArrayLike<number> => {
    const ctx = createCanvas(48, 48).getContext('2d', { willReadFrequently: true });
    ctx.font = font(FONT.text, 32, letter);
    ctx.fillText(text, 4, 36);
    return ctx.getImageData(0, 0, 48, 48).data;
  };
  const drawn = Array.from(pixels(letter));
  return [NO_FONT_HAS, ' '].map(pixels).every((other) => drawn.some((value, at) => value !== other[at]));
}
