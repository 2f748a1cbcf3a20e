import { createCanvas, loadImage } from '@napi-rs/canvas';

/**
 * The child process of `decodeImage`. Input: an image on standard input, its arguments in argv. Output: two 32-bit
 * sizes and the pixels on standard output. Exits with status 1, and the reason on standard error, if it is not an
 * image.
 */
async function main(frameWidth: number, frameHeight: number, background: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const decoded = await loadImage(Buffer.concat(chunks));
  const fills = background !== '';
  const fit = Math.min(frameWidth / decoded.width, frameHeight / decoded.height);
  const scale = fills ? fit : frameHeight / 1080;
  const [drawnWidth, drawnHeight] = [decoded.width * scale, decoded.height * scale];
  const width = fills ? frameWidth : Math.min(Math.max(Math.round(drawnWidth), 1), frameWidth);
  const height = fills ? frameHeight : Math.min(Math.max(Math.round(drawnHeight), 1), frameHeight);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.fillStyle = fills ? background : 'transparent';
  ctx.fillRect(0, 0, width, height);
  const [x, y] = fills ? [(width - drawnWidth) / 2, (height - drawnHeight) / 2] : [0, 0];
  ctx.drawImage(decoded, x, y, drawnWidth, drawnHeight);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(width, 0);
  sizes.writeUInt32LE(height, 4);
  process.stdout.write(sizes);
  process.stdout.write(canvas.data());
}

try {
  await main(Number(process.argv[2]), Number(process.argv[3]), process.argv[4] ?? '');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
