import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createKeptFootprints } from '#render-host/capture/radar/kept-footprints.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import type { Match } from '#render-host/match/match.ts';
import { middleOf } from '#scene/match/levels.ts';
import { buildMatch, buildOptions, buildShot } from '../../builders.ts';
import { changedPixels } from '../../frame-checks.ts';

let folder: string;
const MINE = 'a'.repeat(32);
const THEIRS = 'b'.repeat(32);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footprints-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** One player walks east along a line. `y` identifies the line. */
function walk(y: number, more: Partial<Match> = {}): Match {
  const stand = (_: number, tick: number) => ({ x: -400 + tick * 2.5, y, z: 0, yaw: 0 });
  return { ...buildMatch({ players: [{}], stand }), build: 10_772, ...more };
}

const places = (cells: Uint32Array) => [...cells].map((cell) => middleOf(cell));
const learn = (match: Match, account: string | null, most?: number) =>
  createKeptFootprints(folder, most).add(match, account);

describe('what is known of a map', () => {
  it('is where demos of two accounts walked, whichever host asks next', async () => {
    expect(await learn(walk(0), MINE)).toHaveLength(0);
    const both = places(await learn(walk(0), THEIRS));
    expect(both.length).toBeGreaterThan(40);
    for (const { x, y, z } of both) {
      expect([Math.abs(y) <= 16, x > -420 && x < 420, Math.abs(z) <= 32]).toEqual([true, true, true]);
    }
    expect(places(await learn(walk(900), null))).toEqual(both);
  });

  it('is not what one account alone shows, in however many demos', async () => {
    for (let i = 0; i < 3; i++) expect(await learn(walk(0), MINE)).toHaveLength(0);
    expect(await learn(walk(600), THEIRS)).toHaveLength(0);
    expect(await learn(walk(0), null)).toHaveLength(0);
  });

  it.each([
    ['another map', { map: 'de_nuke' }],
    ['another build', { build: 10_773 }],
  ])('says nothing of %s', async (_, other) => {
    await learn(walk(0), MINE);
    expect(await learn(walk(0, other), THEIRS)).toHaveLength(0);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it.each([
    ['a map that is a path', { map: '../../etc/passwd' }],
    ['a recording of no build', { build: null, gamePatch: null }],
  ])('is not kept of %s', async (_, odd) => {
    await learn(walk(0, odd), MINE);
    expect(await learn(walk(0, odd), THEIRS)).toHaveLength(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes no more than it may: who fills a map alone loses it first', async () => {
    const most = 100;
    await learn(walk(0), MINE, most);
    await learn(walk(2000), THEIRS, most);
    const crowd = walk(0, { tracks: buildMatch({ stand: (p, t) => ({ x: t * 40, y: p * 500, yaw: 0 }) }).tracks });
    await learn(crowd, 'c'.repeat(32), most);
    const [name = ''] = await readdir(folder);
    expect((await readFile(join(folder, name))).length).toBeLessThanOrEqual(most * 8 + 12);
    expect((await learn(walk(0), THEIRS, most)).length).toBeGreaterThan(20);
  });

  it('of at most 32 maps; the oldest goes', async () => {
    for (let build = 1; build <= 34; build++) await learn(walk(0, { build }), MINE);
    expect(await readdir(folder)).toHaveLength(32);
  });

  it.each([
    ['is cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
    [
      'is of another version',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(4, 9), bytes.subarray(8)]),
    ],
  ])('is learnt again if its file %s', async (_, damaged) => {
    await learn(walk(0), MINE);
    const [name = ''] = await readdir(folder);
    const path = join(folder, name);
    await writeFile(path, damaged(await readFile(path)));
    expect(await learn(walk(0), THEIRS)).toHaveLength(0);
    expect((await learn(walk(0), MINE)).length).toBeGreaterThan(40);
  });

  it('fails no clip if the disk fails', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await createKeptFootprints(join(folder, 'file', 'in')).add(walk(0), MINE)).toHaveLength(0);
  });
});

it('a clip shows the floor that two others walked', async () => {
  const footprints = createKeptFootprints(folder);
  const capture = createRadarCapture({ sound: false, footprints });
  const options = buildOptions();
  const frame = async () => {
    const account = 'c'.repeat(32);
    const request = { match: walk(0), shots: [buildShot()], options, demoPath: '', workDir: folder, account };
    const captured = await capture({ ...request, signal: new AbortController().signal, onProgress: () => {} });
    if (!captured.ok) throw new Error(captured.detail);
    return captured.source.frame(10);
  };
  const alone = await frame();
  await footprints.add(walk(300), MINE);
  expect(changedPixels(alone, await frame(), options)).toBe(0);
  await footprints.add(walk(300), THEIRS);
  const north = { left: 0, top: 0, right: 1, bottom: 0.45 };
  expect(changedPixels(alone, await frame(), options, north)).toBeGreaterThan(5000);
});
