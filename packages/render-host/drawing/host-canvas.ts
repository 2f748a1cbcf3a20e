import { fileURLToPath } from 'node:url';
import { createCanvas, GlobalFonts, Path2D } from '@napi-rs/canvas';
import { setCanvasKit } from '#scene/canvas.ts';
import { FONT } from '#scene/drawing/fonts.ts';
import { familiesFor } from './scripts.ts';

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
