import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeMatchFile } from '#render-host/match/match-file.ts';
import { type ParseOptions, parseDemo } from '#render-host/match/parse-demo.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { composedDemo, testFolder, writeTestFile } from './real-demos.ts';

function parse(demoPath: string, overrides: Partial<ParseOptions> = {}) {
  return parseDemo({ demoPath, workDir: dirname(demoPath), signal: new AbortController().signal, ...overrides });
}

const outline = { rounds: [{ startTick: 10, endTick: 800 }], kills: [{ tick: 200, attacker: 0, victim: 5 }] };

describe('the parsing child', () => {
  test('hands over the very match that was read, reports progress, and leaves nothing behind', {
    tags: ['long'],
  }, async () => {
    const path = await composedDemo(outline);
    const progress: number[] = [];
    const result = await parse(path, { onProgress: (fraction) => progress.push(fraction) });
    const read = await readMatch(path);
    expect(result).toEqual({ ok: true, match: read.ok && read.match });
    expect(progress.length).toBeGreaterThan(5);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBeGreaterThan(0.95);
    expect(await readdir(dirname(path))).toEqual(['match.dem']);
  });

  test('passes the reason on why a demo is unfit', { tags: ['long'] }, async () => {
    const path = await writeTestFile(Buffer.from('HL2DEMO\0........'));
    expect(await parse(path)).toMatchObject({ ok: false, code: 'demo_incompatible', facts: { game: 'CS:GO' } });
  });

  test.each([
    ['runs out of memory', { memoryMegabytes: 16 }, 'out of memory'],
    ['hands over more than it may', { matchBytes: 1000 }, 'more than the 1000 accepted'],
    ['takes too long', { timeoutMs: 1 }, 'after 1 ms'],
  ])('one that %s is demo_failed_parse', { tags: ['long'] }, async (_name, limits, detail) => {
    const result = await parse(await composedDemo(outline), { limits });
    expect(result).toEqual({ ok: false, code: 'demo_failed_parse', detail: expect.stringContaining(detail) });
  });

  test('has its memory counted outside of its heap too: a few bytes ask for 400 MB of tracks', {
    tags: ['long'],
  }, async () => {
    const path = await composedDemo({ lastTick: 200 }, { jumps: [{ atTick: 100, by: 1_600_000 }] });
    const limits = { gapTicks: 2_000_000, memoryMegabytes: 250 };
    const detail = 'out of memory: parsing took more than 250 MB';
    expect(await parse(path, { limits })).toEqual({ ok: false, code: 'demo_failed_parse', detail });
  });

  test('is ended by an abort, which throws its reason', { tags: ['long'] }, async () => {
    const controller = new AbortController();
    const path = await composedDemo(outline);
    const abort = () => controller.abort(new Error('the lease is lost'));
    await expect(parse(path, { signal: controller.signal, onProgress: abort })).rejects.toThrow('the lease is lost');
    await expect(parse(path, { signal: controller.signal })).rejects.toThrow('the lease is lost');
    expect(await readdir(dirname(path))).toEqual(['match.dem']);
  });
});

test('a match file that cannot be written is an error, not a fault of the demo', { tags: ['long'] }, async () => {
  const path = await composedDemo(outline);
  await expect(parse(path, { workDir: `${await testFolder()}/missing` })).rejects.toThrow('ENOENT');
  const result = await readMatch(path);
  if (!result.ok) expect.unreachable();
  else await expect(writeMatchFile(`${await testFolder()}/missing/file`, result.match, 1e6)).rejects.toThrow('ENOENT');
});
