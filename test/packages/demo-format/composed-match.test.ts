import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { composeMatch, createSampleMatch, encodeDemo, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import { readMatch } from '#render-host/match/read-match.ts';

describe('a composed match', () => {
  const match = composeMatch({
    map: 'workshop/3070284539/de_cache',
    warmupEndTick: 20,
    rounds: [{ startTick: 30, endTick: 300, winner: 'T' }],
    kills: [
      { tick: 10, attacker: 0, victim: 5 },
      { tick: 200, attacker: 0, victim: 5, assister: 1, weapon: 'awp', headshot: true, noScope: true },
      { tick: 210, attacker: 2, victim: 3, wallbang: true },
      { tick: 220, attacker: null, victim: 4 },
      { tick: 230, attacker: 6, victim: 6, weapon: 'hegrenade' },
      { tick: 310, attacker: 0, victim: 7, throughSmoke: true, attackerBlind: true },
    ],
  });

  it('has the kills and rounds it was given, the last kill after its round’s end', () => {
    const { kills, rounds } = truthOf(match);
    expect(kills.map(({ tick, attacker, victim, warmup }) => [tick, attacker, victim, warmup])).toEqual([
      [10, 0, 5, true],
      [200, 0, 5, false],
      [210, 2, 3, false],
      [220, null, 4, false],
      [230, 6, 6, false],
      [310, 0, 7, false],
    ]);
    expect(kills[1]).toMatchObject({ assister: 1, weapon: 'awp', headshot: true, noScope: true, wallbang: false });
    expect(kills[5]).toMatchObject({ throughSmoke: true, attackerBlind: true });
    const [won, ticks] = [
      { winner: 'T', reason: 'terrorists_won', score: { T: 1, CT: 0 } },
      { startTick: 30, freezeEndTick: 158, endTick: 300, officialEndTick: 620 },
    ];
    expect(rounds).toEqual([{ ...ticks, ...won }]);
  });

  it('can leave the end of a round out', () => {
    const open = truthOf(composeMatch({ rounds: [{ startTick: 1, freezeEndTick: null }], lastTick: 9 }));
    expect(open.lastTick).toBe(9);
    expect(open.rounds[0]).toMatchObject({ startTick: 1, freezeEndTick: null, endTick: null, officialEndTick: null });
  });

  it('refuses a player that is not there', () => {
    expect(() => truthOf(composeMatch({ kills: [{ tick: 5, attacker: 0, victim: 10 }] }))).toThrow(RangeError);
  });
});

describe('a demo file', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'demo-writer-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('is what the demo is in memory', async () => {
    const match = composeMatch({ lastTick: 200 });
    const path = join(directory, 'short.dem');
    // Another one writes the same at the same time, into a draft of its own.
    const [summary] = await Promise.all([writeDemoFile(match, path), writeDemoFile(match, path)]);
    const bytes = await readFile(path);
    expect(bytes.equals(encodeDemo(match))).toBe(true);
    expect(summary).toMatchObject({ sizeBytes: bytes.length, ticks: 200 });
  });

  it('begins with the magic and says where its last frames are', () => {
    const bytes = Buffer.from(encodeDemo(composeMatch({ lastTick: 3 })));
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('PBDEMS2\0');
    const fileInfo = 2;
    const spawnGroups = 15;
    expect(bytes[bytes.readUInt32LE(8)]).toBe(fileInfo);
    expect(bytes[bytes.readUInt32LE(12)]).toBe(spawnGroups);
  });
});

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
