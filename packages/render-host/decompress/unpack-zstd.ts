import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { appendTo, type UnpackTask } from './unpack-stream.ts';
import { findZstdFrames } from './zstd-frames.ts';

/** Unpacks all frames of a .zst file in order. */
export async function unpackZstd(task: UnpackTask): Promise<readonly string[]> {
  const file = await open(task.inPath, 'r');
  try {
    const { size } = await file.stat();
    let length = 0;
    for (const { start, end } of await findZstdFrames(file, size, task.signal)) {
      const frame = createReadStream(task.inPath, { start, end: end - 1 });
      length = await appendTo(task, length, [frame, createZstdDecompress()]);
    }
    return [];
  } finally {
    await file.close();
  }
}
