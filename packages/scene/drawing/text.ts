import { cleanLine } from '#domain/lib/text.ts';
import type { Context2D } from './canvas.ts';
import { kept } from './theme.ts';
import { hasGlyphs } from './weapon-glyphs.ts';

/** Private-use and unassigned characters, which no font has. */
const WITHOUT_GLYPH = /[\p{Co}\p{Cn}]/gu;
/** Replaces a letter that no font has. */
const UNKNOWN = '·';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns a player's name as it can be drawn: one line, a dot for each letter that no font has, at most two combining
 * marks a letter (more would paint over the rows above). An empty result becomes `?`.
 */
export function drawableName(name: string): string {
  return drawableLine(name) || '?';
}

/** A cache, because names are drawn in each frame. */
const drawable = new Map<string, string>();
const MOST_KEPT = 1000;

/** Returns a text of a demo as it can be drawn. May be empty. */
export function drawableLine(text: string): string {
  if (drawable.size >= MOST_KEPT) drawable.clear();
  return kept(drawable, text, () => asDrawable(text));
}

function asDrawable(text: string): string {
  const plain = cleanLine(text)
    .normalize('NFD')
    .replace(WITHOUT_GLYPH, '')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .normalize('NFC');
  const letters = Array.from(segmenter.segment(plain), ({ segment }) => (hasGlyphs(segment) ? segment : UNKNOWN));
  return cleanLine(letters.join(''));
}

/**
 * Returns `text` shortened with an ellipsis to at most `maxWidth` pixels in the context's font. Cuts whole graphemes
 * only.
 */
export function fitText(ctx: Context2D, text: string, maxWidth: number): string {
  if (ctx.measureText(text).width <= maxWidth) return text;
  const graphemes = Array.from(segmenter.segment(text), ({ segment }) => segment);
  let low = 0;
  let high = graphemes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(shortened(graphemes, middle)).width <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return shortened(graphemes, low);
}

function shortened(graphemes: readonly string[], count: number): string {
  return `${graphemes.slice(0, count).join('').trimEnd()}…`;
}
