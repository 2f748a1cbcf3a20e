import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';
import { familiesFor } from './scripts.ts';

/** Inter Tight (SIL Open Font License, see OFL.txt): Latin, Cyrillic and Greek. Each weight is a family of its own. */
export const FONT = { text: 'Tickreel Text', display: 'Tickreel Display' } as const;

const FILES = { [FONT.text]: 'InterTight-SemiBold.ttf', [FONT.display]: 'InterTight-ExtraBold.ttf' };

/** Registers the shipped faces with the canvas of this process or thread. Another call changes nothing. */
export function registerFonts(): void {
  for (const [family, file] of Object.entries(FILES)) {
    if (GlobalFonts.has(family)) continue;
    GlobalFonts.registerFromPath(fileURLToPath(new URL(file, import.meta.url)), family);
  }
}

/** The weight of each face, for scripts that it lacks. */
const WEIGHT = { [FONT.text]: 600, [FONT.display]: 800 } as const;

/**
 * Returns a CSS font value: the size in pixels and one of the shipped faces, then the fonts that `text` needs (names
 * are in any script), then the machine's.
 */
export function font(family: (typeof FONT)[keyof typeof FONT], pixels: number, text = ''): string {
  const others = familiesFor(text).map((name) => `"${name}", `);
  const weight = others.length === 0 ? '' : `${WEIGHT[family]} `;
  return `${weight}${pixels.toFixed(2)}px "${family}", ${others.join('')}sans-serif`;
}
