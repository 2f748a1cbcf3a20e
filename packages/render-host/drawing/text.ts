import type { SKRSContext2D } from '@napi-rs/canvas';
import { cleanLine } from '#domain/clean-text.ts';
import { hasGlyphs } from './fonts/glyphs.ts';

/** Private-use and unassigned characters: no font has them. */
const WITHOUT_GLYPH = /[\p{Co}\p{Cn}]/gu;
/** Stands for a letter that neither the host's fonts nor the machine's have. */
const UNKNOWN = '·';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A player's name as it can be drawn: one line, a dot for each letter that no font has, at most two combining marks a
 * letter (piled-up marks would paint over the rows above). A name with nothing left is `?`.
 */
export function drawableName(name: string): string {
  return drawableLine(name) || '?';
}

/** What was asked for before: names are drawn in every frame. */
const drawable = new Map<string, string>();
const MOST_KEPT = 1000;

/** Any text of a demo as it can be drawn; empty where nothing is left. */
export function drawableLine(text: string): string {
  let line = drawable.get(text);
  if (line === undefined) {
    line = asDrawable(text);
    if (drawable.size >= MOST_KEPT) drawable.clear();
    drawable.set(text, line);
  }
  return line;
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
 * `text` in the context's font, shortened with an ellipsis until it is at most `maxWidth` pixels wide. Whole graphemes
 * only.
 */
export function fitText(ctx: SKRSContext2D, text: string, maxWidth: number): string {
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
