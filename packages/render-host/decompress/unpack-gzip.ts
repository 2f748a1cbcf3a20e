import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { appendTo, type UnpackTask } from './unpack-stream.ts';

/** Unpacks all members of a .gz file in order. zlib checks sums and notices truncation. */
export async function unpackGzip(task: UnpackTask): Promise<readonly string[]> {
  await appendTo(task, 0, [createReadStream(task.inPath), createGunzip()]);
  return [];
}
