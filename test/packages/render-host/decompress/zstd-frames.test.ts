import { describe, expect, it } from 'vitest';
import { findZstdFrames } from '#render-host/decompress/zstd-frames.ts';

const MEGABYTE = 1 << 20;
const NEVER = new AbortController().signal;

/** Returns a frame of empty blocks of three bytes. The last one is marked. */
function emptyBlocks(count: number): Buffer {
  const bytes = Buffer.alloc(6 + 3 * count);
  Buffer.from('28b52ffd0058', 'hex').copy(bytes);
  bytes[6 + 3 * (count - 1)] = 1;
  return bytes;
}

/** Returns a file in memory that counts how often it is read. */
function fileOf(content: Buffer) {
  let reads = 0;
  const read = async (target: Buffer, offset: number, length: number, position: number) => {
    reads++;
    const bytesRead = content.copy(target, offset, position, Math.min(content.length, position + length));
    return { buffer: target, bytesRead };
  };
  return { file: { read } as never, size: content.length, reads: () => reads };
}

describe('the frames of a .zst file', () => {
  it('are found with one read a megabyte, however small the blocks', async () => {
    const { file, size, reads } = fileOf(emptyBlocks(200_000));
    expect(await findZstdFrames(file, size, NEVER)).toEqual([{ start: 0, end: size }]);
    expect(reads()).toBeLessThanOrEqual(Math.ceil(size / MEGABYTE) + 1);
  });

  it('may not have more blocks than an honest archive: a few kilobytes could hold a host for hours', async () => {
    const { file, size, reads } = fileOf(emptyBlocks(7_000_000));
    await expect(findZstdFrames(file, size, NEVER)).rejects.toThrow('more than 262144 blocks');
    expect(reads()).toBeLessThanOrEqual(2);
  });

  it('may not be more than an honest archive has, skippable ones neither', async () => {
    const many = fileOf(Buffer.concat(Array.from({ length: 16_385 }, () => emptyBlocks(1))));
    await expect(findZstdFrames(many.file, many.size, NEVER)).rejects.toThrow('more than 16384 frames');
    const skippable = Buffer.alloc(8);
    skippable.writeUInt32LE(0x184d2a50);
    const skipped = fileOf(Buffer.concat(Array.from({ length: 20_000 }, () => skippable)));
    await expect(findZstdFrames(skipped.file, skipped.size, NEVER)).rejects.toThrow('more than 16384 frames');
  });

  it('are looked for no longer once the signal has fired', async () => {
    const stop = new AbortController();
    const { file, size, reads } = fileOf(emptyBlocks(200_000));
    stop.abort(new Error('stopped'));
    await expect(findZstdFrames(file, size, stop.signal)).rejects.toThrow('stopped');
    expect(reads()).toBe(0);
  });

  it('that cross the edge of what is read at a time are read whole', async () => {
    for (let short = 0; short < 200; short++) {
      const filler = Buffer.alloc(MEGABYTE - short);
      filler.writeUInt32LE(0x184d2a50);
      filler.writeUInt32LE(filler.length - 8, 4);
      const { file, size } = fileOf(Buffer.concat([emptyBlocks(1), filler, emptyBlocks(50)]));
      expect((await findZstdFrames(file, size, NEVER)).at(-1)?.end).toBe(size);
    }
  });
});
