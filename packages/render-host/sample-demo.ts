import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';

/**
 * The demo that the stack serves and the doctor records: three rounds of ten made-up players, made by
 * `npm run write-demo -- packages/render-host/sample.dem.zst`. A test compares it with what the writer makes now.
 */
const SAMPLE = new URL('./sample.dem.zst', import.meta.url);

/** Writes the sample demo to a path, unpacked. */
export async function unpackSample(path: string): Promise<void> {
  await writeFile(path, await promisify(zstdDecompress)(await readFile(SAMPLE)));
}
