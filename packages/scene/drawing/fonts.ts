import { familiesFor } from './canvas.ts';

/**
 * Inter Tight (SIL Open Font License, see fonts/OFL.txt): Latin, Cyrillic and Greek. Each weight is a family of its
 * own.
 */
export const FONT = { text: 'Clip Text', display: 'Clip Display' } as const;

/** The weight of each face, for scripts that it lacks. */
const WEIGHT = { [FONT.text]: 600, [FONT.display]: 800 } as const;

/** The characters of Inter Tight: Latin, Greek, Cyrillic, their marks, common punctuation and currency signs. */
const SHIPPED = [
  [0, 0x52f],
  [0x1d00, 0x206f],
  [0x20a0, 0x20bf],
  [0x2100, 0x218f],
] as const;

/** Whether the faces of `FONT` have a character. */
export function isShipped(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return SHIPPED.some(([from, to]) => code >= from && code <= to);
}

/**
 * Returns a CSS font value: the size in pixels and one of the shipped faces, then the fonts that `text` needs (names
 * are in any script), then the machine's.
 */
export function font(family: (typeof FONT)[keyof typeof FONT], pixels: number, text = ''): string {
  const others = familiesFor(text).map((name) => `"${name}", `);
  const weight = others.length === 0 ? '' : `${WEIGHT[family]} `;
  return `${weight}${pixels.toFixed(2)}px "${family}", ${others.join('')}sans-serif`;
}
