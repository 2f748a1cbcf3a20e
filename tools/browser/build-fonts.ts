import { readFile } from 'node:fs/promises';
import subsetFont from 'subset-font';
import { FONT_FILES, FONT_PARTS } from '../../src/browser/scripts/replay/web-fonts.ts';

const FONTS = new URL('../../packages/scene/fonts/', import.meta.url);
const FACES = { text: 'InterTight-SemiBold.ttf', display: 'InterTight-ExtraBold.ttf' } as const;

/** Builds the shipped faces for browsers, as files by path below `src`: WOFF2, in the parts of `FONT_PARTS`. */
export async function buildFonts(): Promise<Readonly<Record<string, Uint8Array>>> {
  const files: Record<string, Uint8Array> = {};
  for (const face of Object.values(FONT_FILES)) {
    const font = await readFile(new URL(FACES[face], FONTS));
    for (const [part, ranges] of Object.entries(FONT_PARTS)) {
      files[`static/${face}-${part}.woff2`] = await subsetFont(font, charactersIn(ranges), { targetFormat: 'woff2' });
    }
  }
  return files;
}

/** Returns the characters of ranges such as `U+0-17F, U+20AC`. */
function charactersIn(ranges: string): string {
  return ranges
    .split(',')
    .flatMap((range) => {
      const [from = 0, to = from] = range
        .trim()
        .slice(2)
        .split('-')
        .map((code) => Number.parseInt(code, 16));
      return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));
    })
    .join('');
}
