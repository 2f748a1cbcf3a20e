import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSampleMatch, encodeDemo } from '#demo-writer/index.ts';
import { AREAS } from '#demo-writer/script/map/areas.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { checkOutlines } from '#render-host/doctor/check-machine.ts';
import { readNav } from '#render-host/maps/nav.ts';
import { loadOutline, parseOutline, writeOutline } from '#render-host/match/inspect-match.ts';
import type { MapOutline, Match } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { createFootprint } from '#scene/map/footprint.ts';
import { floorCells, readLevels } from '#scene/match/levels.ts';
import { buildMatch, buildOptions, buildShot } from '../builders.ts';
import { rectangle, writeNav } from '../maps/game-files.ts';
import { writeTestFile } from './real-demos.ts';

const SQUARE = [0, 0, 0, 100, 0, 0, 100, 100, 50, 0, 100, 50];
const OUTLINE: MapOutline = { map: 'de_box', source: 'nav 35', splits: [], areas: [SQUARE] };

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tickreel-outlines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('the file of an outline', () => {
  it('is what was written', () => {
    expect(parseOutline(writeOutline(OUTLINE))).toEqual(OUTLINE);
  });

  const bad = (change: object): string => JSON.stringify({ version: 1, ...OUTLINE, ...change });
  it.each([
    ['{', 'JSON'],
    [bad({ version: 2 }), 'version:'],
    [bad({ map: '../de_box' }), 'map: must be a name of lower-case letters, digits and _'],
    [bad({ walls: [] }), 'the file: '],
    [bad({ areas: [] }), 'areas:'],
    [bad({ areas: [SQUARE.slice(0, 6)] }), 'areas.0:'],
    [bad({ areas: [SQUARE.slice(0, 11)] }), 'areas.0: has a corner without x, y and z'],
    [bad({ areas: [[...SQUARE.slice(0, 11), 16_385]] }), 'areas.0.11:'],
    [bad({ areas: Array.from({ length: 20_001 }, () => SQUARE) }), 'areas:'],
    [bad({ areas: Array.from({ length: 3200 }, () => Array.from({ length: 192 }, () => 0)) }), 'areas: has more than'],
    [bad({ splits: [10, 10] }), 'splits: is not ascending'],
  ])('is refused if it is %.30s', (text, message) => {
    expect(() => parseOutline(text)).toThrow(message);
  });

  it('is looked for by the map’s name, of a workshop map by its last part', async () => {
    const folder = folderOf({
      'de_box.outline.json': writeOutline(OUTLINE),
      'de_x.outline.json': writeOutline(OUTLINE),
    });
    expect(await loadOutline(folder, 'workshop/3070/de_box')).toEqual(OUTLINE);
    expect(await loadOutline(folder, 'de_none')).toBeNull();
    expect(await loadOutline(folder, '../de_box.outline.json')).toBeNull();
    await expect(loadOutline(folder, 'de_x')).rejects.toThrow('de_x.outline.json: map: is de_box');
  });

  it('is checked by the doctor', async () => {
    const folder = folderOf({});
    expect(await checkOutlines(folder)).toMatchObject({ status: 'fail', detail: expect.stringContaining('no map') });
    writeFileSync(join(folder, 'de_box.outline.json'), writeOutline(OUTLINE));
    expect(await checkOutlines(folder)).toMatchObject({ status: 'ok', detail: 'of de_box' });
    writeFileSync(join(folder, 'de_y.outline.json'), '[]');
    expect(await checkOutlines(folder)).toMatchObject({ status: 'fail', detail: expect.stringContaining('de_y') });
    writeFileSync(join(folder, 'de_z.outline.json'), ' '.repeat(8 * 1024 * 1024 + 1));
    expect((await checkOutlines(folder)).detail).toContain('more than');
  });
});

it('the cells of an area are those whose middle is in it, at its height', () => {
  const found = [...floorCells([SQUARE, [200, 0, 0, 300, 0, 0, 200, 100, 0]], 20)];
  const cells = [...new Map(found.map((cell) => [`${cell.x} ${cell.y}`, cell])).values()];
  expect(cells.filter(({ x }) => x < 100)).toHaveLength(25);
  for (const { x, y, z } of cells.filter((cell) => cell.x < 100)) {
    expect([x % 20, y % 20]).toEqual([10, 10]);
    expect(z).toBeCloseTo(y / 2);
  }
  // The middles on the longest side count.
  expect(cells.filter(({ x }) => x > 100)).toHaveLength(15);
});

describe('the floor of a map with an outline', () => {
  const everywhere = () => true;
  const bounds = { minX: -2600, minY: -2800, maxX: 1600, maxY: 900 };
  /** A mesh is drawn in by half a player, as the game generates it. */
  const HALF = 16;
  const mesh = AREAS.map(({ west, south, east, north, height }) =>
    rectangle(west + HALF, south + HALF, east - HALF, north - HALF, height),
  );

  /** Returns parts of 100: of drawn and real floor that are the same, and of drawn floor that is wall. */
  function agreement(drawn: Match): { readonly same: number; readonly wall: number } {
    const { edge, width, height, x, y, cell } = createFootprint(drawn, bounds, everywhere);
    const isFloor = (east: number, north: number) =>
      AREAS.some((area) => east > area.west && east < area.east && north > area.south && north < area.north);
    const count = { both: 0, either: 0, drawn: 0 };
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const real = isFloor(x + column * cell, y - row * cell);
        const isDrawn = (edge[row * width + column] ?? 0) > 0;
        if (real && isDrawn) count.both += 1;
        if (real || isDrawn) count.either += 1;
        if (isDrawn) count.drawn += 1;
      }
    }
    return { same: (100 * count.both) / count.either, wall: (100 * (count.drawn - count.both)) / count.drawn };
  }

  it('is the real one on the first clip, closer than where players walked', { tags: ['long'] }, async () => {
    const read = await readMatch(await writeTestFile(encodeDemo(createSampleMatch())));
    if (!read.ok) throw new Error(read.detail);
    const { match } = read;
    const walked = agreement(match);
    const { areas } = readNav(writeNav(mesh));
    const outlined = agreement({ ...match, outline: { map: match.map, source: 'nav 35', splits: [], areas } });
    process.stdout.write(`${JSON.stringify({ walked, outlined })}\n`);
    expect(outlined.same).toBeGreaterThan(95);
    expect(outlined.wall).toBeLessThan(3);
    expect(walked.same).toBeLessThan(outlined.same - 10);
  });

  it('has the levels of the outline', () => {
    const upper = rectangle(-200, -200, 200, 200, 300);
    const { areas } = readNav(writeNav([rectangle(-600, -600, 600, 600, 0), upper]));
    const flat = buildMatch({ players: [{}] });
    const levels = readLevels({ ...flat, outline: { ...OUTLINE, splits: [150], areas } });
    expect(levels.splits).toEqual([150]);
    expect(levels.footprint(1).size).toBeLessThan(levels.footprint(0).size);
    const on = (z: number, x = 0) => ({ x, y: 0, z });
    expect(levels.isFloorBetween(on(0), on(300))).toBe(true);
    expect(readLevels({ ...flat, outline: { ...OUTLINE, areas } }).splits).toEqual([]);
  });

  it('is drawn where a player walks beyond the outline', () => {
    const walks = buildMatch({ players: [{}], stand: (_, tick) => ({ x: 400 + tick, y: 500, z: 0, yaw: 0 }) });
    const { edge, width, x, y, cell } = createFootprint({ ...walks, outline: OUTLINE }, bounds, everywhere);
    expect(edge[Math.round((y - 500) / cell) * width + Math.round((500 - x) / cell)]).toBeGreaterThan(0);
  });
});

it('a clip says that its floor is from movement, unless the map has an outline that can be read', {
  tags: ['long'],
}, async () => {
  const match = { ...buildMatch({}), map: 'de_box' };
  const asked = {
    match,
    shots: [buildShot()],
    options: buildOptions({ fps: 5, width: 320, height: 180 }),
    workDir: '',
    onProgress: () => {},
    signal: AbortSignal.timeout(60_000),
  };
  const floorWith = async (files: Readonly<Record<string, string>>) => {
    const captured = await createRadarCapture({ sound: false, outlineDir: folderOf(files) })(asked as never);
    if (!captured.ok) throw new Error(captured.detail);
    let frames = 0;
    for await (const _ of captured.source.frames(asked.signal)) frames += 1;
    expect(frames).toBe(captured.source.frameCount);
    return captured.floor;
  };
  expect(await floorWith({ 'de_box.outline.json': writeOutline(OUTLINE) })).toBeUndefined();
  expect(await floorWith({ 'de_box.outline.json': '{' })).toBe('movement');
  expect(await floorWith({})).toBe('movement');
});
