import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Canvas, createCanvas, GlobalFonts, Path2D } from '@napi-rs/canvas';
import { setCanvasKit } from '#scene/drawing/canvas.ts';
import { FONT, isShipped } from '#scene/drawing/fonts.ts';
import { kept } from '#scene/drawing/theme.ts';

/**
 * Noto (SIL Open Font License, in each package), for what the shipped faces lack. Each package has a font cut into some
 * hundred small files by ranges of characters. A file is loaded when the first name needs it.
 */
const PACKAGES = {
  chinese: () => import.meta.resolve('@fontsource-variable/noto-sans-sc/unicode.json'),
  japanese: () => import.meta.resolve('@fontsource-variable/noto-sans-jp/unicode.json'),
  korean: () => import.meta.resolve('@fontsource-variable/noto-sans-kr/unicode.json'),
  arabic: () => import.meta.resolve('@fontsource-variable/noto-sans-arabic/unicode.json'),
  emoji: () => import.meta.resolve('@fontsource-variable/noto-emoji/unicode.json'),
} as const;

type Script = keyof typeof PACKAGES;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u20e3/u;
const KANA = /\p{Script=Hiragana}|\p{Script=Katakana}/u;
const HANGUL = /\p{Script=Hangul}/u;

/** A file of a package, with its characters. */
interface Cut {
  readonly family: string;
  readonly path: string;
  readonly ranges: Ranges;
}

const loaded = new Map<Script, readonly Cut[]>();

/**
 * Returns the families that a text needs besides the shipped ones, and registers them. They depend on the text alone,
 * so that a name always looks the same. Joined emoji need a file that has all of them. Characters that no package has
 * (Thai, Hebrew, Devanagari, …) are left to the machine's fonts.
 */
function familiesFor(text: string): readonly string[] {
  const families = new Set<string>();
  const order = orderFor(text);
  for (const { segment } of segmenter.segment(text)) {
    const joined = EMOJI.test(segment) ? cutFor(segment, ['emoji']) : null;
    if (joined !== null) families.add(joined.family);
    for (const character of joined === null ? segment : '') {
      if (isShipped(character)) continue;
      const cut = cutFor(character, EMOJI.test(character) ? ['emoji', ...order] : order);
      if (cut !== null) families.add(cut.family);
    }
  }
  return [...families];
}

/** Returns the first file that has each character of a text. */
function cutFor(text: string, scripts: readonly Script[]): Cut | null {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  for (const script of scripts) {
    const cuts = kept(loaded, script, () => readCuts(PACKAGES[script]()));
    const cut = cuts.find(({ ranges }) =>
      codes.every((code) => ranges.some(([from, to]) => code >= from && code <= to)),
    );
    if (!cut) continue;
    if (GlobalFonts.has(cut.family) || GlobalFonts.registerFromPath(cut.path, cut.family) !== null) return cut;
  }
  return null;
}

type Ranges = readonly (readonly [from: number, to: number])[];

/** Chinese, Japanese and Korean share characters and write them a little differently. */
function orderFor(text: string): readonly Script[] {
  if (KANA.test(text)) return ['japanese', 'chinese', 'korean', 'arabic', 'emoji'];
  if (HANGUL.test(text)) return ['korean', 'chinese', 'japanese', 'arabic', 'emoji'];
  return ['chinese', 'japanese', 'korean', 'arabic', 'emoji'];
}

/**
 * Reads `unicode.json`, which maps the name of each cut, such as `[4]` or `arabic`, to its ranges as in CSS:
 * `U+600-6ff,U+204f`.
 */
function readCuts(address: string): readonly Cut[] {
  const folder = new URL('.', address);
  const font = folder.pathname.split('/').at(-2) ?? '';
  const unicode: unknown = JSON.parse(readFileSync(new URL(address), 'utf8'));
  return Object.entries(unicode as Record<string, string>).map(([name, ranges]) => {
    const cut = `${font}-${name.replace(/[[\]]/g, '')}`;
    return {
      family: `Clip ${cut}`,
      path: fileURLToPath(new URL(`files/${cut}-wght-normal.woff2`, folder)),
      ranges: ranges.split(',').map(rangeOf),
    };
  });
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [from = '', to = from] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}

const FILES = { [FONT.text]: 'InterTight-SemiBold.ttf', [FONT.display]: 'InterTight-ExtraBold.ttf' };

/**
 * Hands the scene this process's or thread's canvas, and registers the shipped faces with it. Another call changes
 * nothing.
 */
export function useHostCanvas(): void {
  setCanvasKit({ createCanvas, createPath: (text) => new Path2D(text), familiesFor });
  for (const [family, file] of Object.entries(FILES)) {
    if (GlobalFonts.has(family)) continue;
    GlobalFonts.registerFromPath(fileURLToPath(import.meta.resolve(`#scene/fonts/${file}`)), family);
  }
}

/**
 * Copies a canvas's pixels (RGBA; premultiplied, which is the same for an opaque picture) to `target`.
 *
 * `canvas.data()` returns a new copy, 8 MB a frame at 1080p. Left to the garbage collector these pile up, and touching
 * new pages then takes some 20 ms a frame. Detached at once, the same warm memory is used for the next frame: 0.3 ms.
 * The memory is freed on the thread's next turn of the event loop, so a loop over frames has to yield between them.
 */
export function copyPixels(canvas: Canvas, target: Uint8Array): void {
  const pixels = canvas.data();
  target.set(pixels);
  if (pixels.byteLength === pixels.buffer.byteLength && pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0);
}

/** A small picture to draw over frames: premultiplied RGBA, top row first. */
export interface Patch {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Blends a patch into an opaque RGBA frame, with its top left corner at x, y. It has to be completely inside the frame.
 */
export function drawPatch(
  { pixels, width, height }: Patch,
  frame: Uint8Array,
  frameWidth: number,
  x: number,
  y: number,
): void {
  for (let row = 0, from = 0; row < height; row++) {
    let to = ((y + row) * frameWidth + x) * 4;
    for (let column = 0; column < width; column++, from += 4, to += 4) {
      const alpha = pixels[from + 3] ?? 0;
      if (alpha === 0) continue;
      const rest = 255 - alpha;
      for (let c = 0; c < 3; c++) {
        frame[to + c] = (pixels[from + c] ?? 0) + Math.round(((frame[to + c] ?? 0) * rest) / 255);
      }
    }
  }
}
