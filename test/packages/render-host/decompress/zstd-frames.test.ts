import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { checkSize, outputLimit } from '#render-host/decompress/unpack-stream.ts';
import { findZstdFrames } from '#render-host/decompress/zstd-frames.ts';
import { BOMB_BZ2, zip } from './archives.ts';
import { hostileArchives } from './hostile-archives.ts';

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

const MIB = 1024 ** 2;

test.each([
  ['what is accepted at most', 100 * MIB, 5000 * MIB],
  ['so many times the archive', 10 * MIB, 2000 * MIB],
  ['64 MiB, however small the archive is', 1, 64 * MIB],
])('out of an archive may come %s', (_, archive, limit) => {
  expect(outputLimit(archive, { maxBytes: 5000 * MIB, maxRatio: 200 })).toBe(limit);
});

test('never more than is accepted', () => {
  expect(outputLimit(1, { maxBytes: 10, maxRatio: 200 })).toBe(10);
});

test('the limit itself is no breach of it', () => {
  expect(() => checkSize(10, 10)).not.toThrow();
  expect(() => checkSize(11, 10)).toThrow('more than the 10 bytes');
});

async function place(content: Buffer) {
  const workDir = await mkdtemp(join(tmpdir(), 'hostile-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  const path = join(workDir, 'download');
  await writeFile(path, content);
  return { path, workDir };
}

/** A limit for each of them: an archive that never ends fails the test. */
const LIMITS = { timeoutMs: 110_000 };

test.for(hostileArchives())('$what comes to an end: $end', async ({ make, end }) => {
  const content = make();
  const { path, workDir } = await place(content);
  const result = await decompressDemo({ path, workDir, signal: new AbortController().signal, limits: LIMITS });
  if (end === 'decompress_failed') {
    expect(result).toMatchObject({ ok: false, code: end, detail: expect.not.stringContaining('no end') });
    expect(await readdir(workDir)).toEqual(['download']);
  } else {
    expect(result).toMatchObject({ ok: true });
    expect(await readdir(workDir)).toEqual(['match.dem']);
    expect((await stat(join(workDir, 'match.dem'))).size).toBe(end === 'passed on' ? content.length : 4138);
  }
});

describe('an abort ends the work at once', () => {
  const BYTES = 100 << 20;
  const part = gzipSync(Buffer.alloc(BYTES / 100));
  // Made on demand, because a process with much memory starts other processes slowly.
  test.each([
    ['.gz', () => Buffer.alloc(100 * part.length, part), BYTES],
    ['.bz2', () => Buffer.alloc(BOMB_BZ2.length * 100, BOMB_BZ2), 7_000_000_000],
    ['.zst', () => zstdCompressSync(Buffer.alloc(BYTES)), BYTES],
    ['.zip', () => zip({ name: 'match.dem', content: Buffer.alloc(BYTES) }), BYTES],
  ])('of %s', async (_format, make, whole) => {
    const content = make();
    const { path, workDir } = await place(content);
    const stop = new AbortController();
    const limits = { maxRatio: 1e9, timeoutMs: 120_000 };
    const work = decompressDemo({ path, workDir, signal: stop.signal, limits });
    const out = join(workDir, 'unpacked');
    let written = 0;
    const watch = setInterval(async () => {
      if (!existsSync(out)) return;
      written = (await stat(out).catch(() => null))?.size ?? written;
      if (written > 0) stop.abort(new Error('the lease is lost'));
    }, 1);
    await expect(work).rejects.toThrow('the lease is lost');
    clearInterval(watch);
    expect(written).toBeLessThan(whole);
    expect(existsSync(out)).toBe(false);
  });
});
