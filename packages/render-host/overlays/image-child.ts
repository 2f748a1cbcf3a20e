import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { reasonOf } from '#domain/lib/text.ts';
import { isSystemError } from '../machine/program.ts';
import { endWithParent, sendAnswer } from '../machine/supervised-child.ts';

/** The answer of the child process of `decodeImage`. */
export type ImageEnd =
  | { readonly type: 'done'; readonly width: number; readonly height: number }
  /** `isMachineError`: an error of this machine, such as a full disk. */
  | { readonly type: 'failed'; readonly detail: string; readonly isMachineError: boolean };

/** Reads the image, and writes its pixels to the second file. */
async function decode(
  inPath: string,
  outPath: string,
  [frameWidth = 0, frameHeight = 0, scale = 1]: number[],
  background: string,
) {
  const decoded = await loadImage(await readFile(inPath));
  const fills = background !== '';
  const fit = Math.min(frameWidth / decoded.width, frameHeight / decoded.height);
  const drawn = fills ? fit : scale;
  const [drawnWidth, drawnHeight] = [decoded.width * drawn, decoded.height * drawn];
  const width = fills ? frameWidth : Math.min(Math.max(Math.round(drawnWidth), 1), frameWidth);
  const height = fills ? frameHeight : Math.min(Math.max(Math.round(drawnHeight), 1), frameHeight);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.fillStyle = fills ? background : 'transparent';
  ctx.fillRect(0, 0, width, height);
  const [x, y] = fills ? [(width - drawnWidth) / 2, (height - drawnHeight) / 2] : [0, 0];
  ctx.drawImage(decoded, x, y, drawnWidth, drawnHeight);
  await writeFile(outPath, canvas.data());
  return { width, height };
}

endWithParent();
const [inPath = '', outPath = '', frameWidth, frameHeight, scale, background = ''] = process.argv.slice(2);
try {
  const size = await decode(inPath, outPath, [frameWidth, frameHeight, scale].map(Number), background);
  sendAnswer<ImageEnd>({ type: 'done', ...size });
} catch (error) {
  sendAnswer<ImageEnd>({ type: 'failed', detail: reasonOf(error), isMachineError: isSystemError(error) });
}
