import { createWriteStream } from 'node:fs';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkSize } from './size-guard.ts';

/** One archive to unpack into one file. */
export interface UnpackTask {
  readonly inPath: string;
  readonly outPath: string;
  /** The most bytes of output. */
  readonly limit: number;
  /** The name of the demo that is asked for; null if none is. */
  readonly wanted: string | null;
  readonly signal: AbortSignal;
}

/**
 * Appends the output of `streams` to the file, from `offset` on. Resolves with the new length of the file.
 * @throws {TooLarge} and the errors of the streams.
 */
export async function appendTo(
  { outPath, limit, signal }: Pick<UnpackTask, 'outPath' | 'limit' | 'signal'>,
  offset: number,
  streams: readonly [Readable, ...Transform[]],
): Promise<number> {
  let length = offset;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, callback: TransformCallback) {
      length += chunk.length;
      try {
        checkSize(length, limit);
        callback(null, chunk);
      } catch (error) {
        callback(error as Error);
      }
    },
  });
  const file = createWriteStream(outPath, { flags: offset === 0 ? 'w' : 'a' });
  await pipeline([...streams, meter, file], { signal });
  return length;
}
