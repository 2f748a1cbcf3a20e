import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSampleMatch, encodeDemo, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import { readMatch } from '#render-host/match/read-match.ts';

const run = promisify(execFile);
const CLI = new URL('../../demo-writer/cli.ts', import.meta.url).pathname;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-demo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  path = join(folder, 'match.dem');
});

describe('npm run write-demo', () => {
  it('writes a match as heavy as a real one, with everything of the light one', async () => {
    const { stdout } = await run(process.execPath, [CLI, path, '--rounds', '1', '--seed', '2', '--heavy']);
    const truth = truthOf(createSampleMatch({ rounds: 1, seed: 2 }));
    expect(stdout).toMatch(new RegExp(`^${path}: \\d+\\.\\d MB, ${truth.lastTick} ticks, 1 rounds, \\d+ kills\n$`));
    const read = await readMatch(path);
    if (!read.ok) return expect.unreachable(read.detail);
    expect(read.match.kills.map(({ tick }) => tick)).toEqual(truth.kills.map(({ tick }) => tick));
    expect((await readFile(path)).length / truth.lastTick).toBeGreaterThan(1100);
    expect(await readdir(folder)).toEqual(['match.dem']);
  });

  it('compresses a demo whose name ends in .zst', async () => {
    const match = createSampleMatch({ rounds: 1 });
    await writeDemoFile(match, `${path}.zst`);
    const demo = zstdDecompressSync(await readFile(`${path}.zst`));
    expect(Buffer.compare(demo, encodeDemo(match))).toBe(0);
  });

  it('says in a sentence why it cannot write, or what is wrong with its options', async () => {
    const failed = (...args: string[]) =>
      run(process.execPath, [CLI, ...args]).catch((error: { stderr: string }) => error);
    expect((await failed(join(folder, 'none', 'x.dem'))).stderr).toMatch(/^ENOENT[^\n]*\n$/);
    expect((await failed(path, '--rounds', '0')).stderr).toMatch(/^error: [^\n]*whole number from 1\.\n$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves an existing file unchanged, and no partial one, if it fails during the match', async () => {
    await writeFile(path, 'before');
    const match = createSampleMatch({ rounds: 1 });
    function* frames() {
      for (const frame of match.frames()) {
        if (frame.tick > 1000) throw new Error('it fails here');
        yield frame;
      }
    }
    await expect(writeDemoFile({ ...match, frames }, path)).rejects.toThrow('it fails here');
    expect(await readFile(path, 'utf8')).toBe('before');
    expect(await readdir(folder)).toEqual(['match.dem']);
  });
});
