import type { SKRSContext2D } from '@napi-rs/canvas';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A player's name as it can be drawn: one line, no control, direction or private-use characters, at most two combining marks a
 * letter (piled-up marks would paint over the rows above). A name with nothing left is `?`.
 */
export function drawableName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(INVISIBLE, '')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim();
  return plain === '' ? '?' : plain;
}

/** `text` in the context's font, shortened with an ellipsis until it is at most `maxWidth` pixels wide. Whole graphemes only. */
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
