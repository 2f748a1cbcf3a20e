import { fileURLToPath } from 'node:url';
import { GlobalFonts } from '@napi-rs/canvas';

/** Inter Tight (SIL Open Font License, see OFL.txt): Latin, Cyrillic and Greek. Each weight is a family of its own. */
export const FONT = { text: 'Tickreel Text', display: 'Tickreel Display' } as const;

const FILES = { [FONT.text]: 'InterTight-SemiBold.ttf', [FONT.display]: 'InterTight-ExtraBold.ttf' };

/** Makes the shipped faces known to the canvas of this process or thread. Calling it again changes nothing. */
export function registerFonts(): void {
  for (const [family, file] of Object.entries(FILES)) {
    if (GlobalFonts.has(family)) continue;
    GlobalFonts.registerFromPath(fileURLToPath(new URL(file, import.meta.url)), family);
  }
}

/**
 * A CSS font value: the size in pixels and one of the shipped faces, with the machine's own fonts for other scripts.
 */
export function font(family: (typeof FONT)[keyof typeof FONT], pixels: number): string {
  return `${pixels.toFixed(2)}px "${family}", sans-serif`;
}
