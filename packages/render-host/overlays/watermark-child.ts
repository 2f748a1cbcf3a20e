import { createCanvas, loadImage } from '@napi-rs/canvas';

/**
 * The child process of `loadWatermark`. Input: an image on standard input, frame sizes in argv. Output: two 32-bit
 * sizes and the pixels on standard output. Exits with status 1, and the reason on standard error, if it is not an
 * image.
 */
async function main(frameWidth: number, frameHeight: number): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const decoded = await loadImage(Buffer.concat(chunks));
  const scale = frameHeight / 1080;
  const width = Math.min(Math.max(Math.round(decoded.width * scale), 1), frameWidth);
  const height = Math.min(Math.max(Math.round(decoded.height * scale), 1), frameHeight);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.drawImage(decoded, 0, 0, decoded.width * scale, decoded.height * scale);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(width, 0);
  sizes.writeUInt32LE(height, 4);
  process.stdout.write(sizes);
  process.stdout.write(canvas.data());
}

try {
  await main(Number(process.argv[2]), Number(process.argv[3]));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
