import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { BOMB_BZ2, zip } from './archives.ts';
import { hostileArchives } from './hostile-archives.ts';

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
