import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importMaps } from '#render-host/maps/import-maps.ts';
import { readNav } from '#render-host/maps/nav.ts';
import { parseOutline } from '#render-host/match/inspect-match.ts';
import { rectangle, type WrittenArea, writeNav, writeVpk } from './game-files.ts';

let game: string;
let maps: string;
let out: string;
beforeEach(() => {
  game = mkdtempSync(join(tmpdir(), 'tickreel-maps-'));
  maps = join(game, 'game', 'csgo', 'maps');
  out = join(game, 'out');
  mkdirSync(maps, { recursive: true });
});
afterEach(() => rmSync(game, { recursive: true }));

const HALL = rectangle(-512, -256, 512, 256, 10);
const put = (name: string, content: Buffer): void => writeFileSync(join(maps, name), content);
const outlineOf = (map: string) => parseOutline(readFileSync(join(out, `${map}.outline.json`), 'utf8'));

async function imported(only: readonly string[] = [], folder = game) {
  const lines: string[] = [];
  const results = await importMaps(folder, { out, only, print: (line) => lines.push(line) });
  return { results, text: lines.join(''), errors: Object.fromEntries(results.map(({ map, error }) => [map, error])) };
}

describe('the import of maps', () => {
  it.each([30, 31, 32, 35, 36])('reads a mesh of version %s, and only where players can be', async (version) => {
    const bot: WrittenArea = { ...rectangle(0, 0, 2000, 2000, 0), hull: 1 };
    put('de_hall.nav', writeNav([{ ...HALL, ladders: 2 }, bot, rectangle(512, -64, 900.4, 64, -20)], version));
    const { results, text } = await imported();
    expect(results).toEqual([{ map: 'de_hall', areas: 2, levels: 1, bytes: expect.any(Number), error: null }]);
    expect(text).toContain('de_hall: 2 areas on one level, 1 KiB');
    expect(text).toContain(`TICKREEL_OUTLINE_DIR=${out}`);
    expect(outlineOf('de_hall')).toEqual({
      map: 'de_hall',
      source: `nav ${version}`,
      splits: [],
      areas: [
        [-512, -256, 10, 512, -256, 10, 512, 256, 10, -512, 256, 10],
        [512, -64, -20, 900, -64, -20, 900, 64, -20, 512, 64, -20],
      ],
    });
  });

  it('leaves out the floor of movable parts', async () => {
    put('de_lift.nav', writeNav([{ ...rectangle(0, 0, 64, 64, 0), moves: true }, HALL]));
    await imported();
    expect(outlineOf('de_lift').areas).toHaveLength(1);
  });

  it('finds levels where floors lie above each other, and knows those of the game', async () => {
    put('de_tower.nav', writeNav([HALL, rectangle(-512, -256, 512, 256, 400)]));
    put('de_nuke.nav', writeNav([HALL]));
    await imported();
    const [split = 0] = outlineOf('de_tower').splits;
    expect(split).toBeGreaterThan(10 + 72);
    expect(split).toBeLessThan(400);
    expect(outlineOf('de_nuke').splits).toEqual([-495]);
  });

  it.each([
    ['of version 1', { version: 1 }],
    ['of version 2', { version: 2 }],
    ['with its content in another file', { parts: true }],
  ])('reads an archive %s', async (_, options) => {
    const nav = writeNav([HALL]);
    const { archive, part } = writeVpk(
      [
        { path: 'maps/de_hall.vmap_c', content: Buffer.alloc(1000, 1) },
        { path: 'Maps/De_Hall.nav', content: nav, preload: 100 },
      ],
      options,
    );
    put('de_hall_dir.vpk', archive);
    put('de_hall_000.vpk', part);
    expect((await imported()).errors).toEqual({ de_hall: null });
  });

  it('writes the maps that were asked for, and says which are missing', async () => {
    for (const map of ['de_a', 'de_b']) put(`${map}.nav`, writeNav([HALL]));
    const { errors } = await imported(['de_B', 'de_c']);
    expect(errors).toEqual({ de_b: null, de_c: 'is not in this folder, or has no navigation mesh' });
    expect(readdirSync(out)).toEqual(['de_b.outline.json']);
  });

  it('reads the folders of the game, of its maps, and of one workshop map', async () => {
    put('de_hall.nav', writeNav([HALL]));
    for (const folder of [game, join(game, 'game'), join(game, 'game', 'csgo'), maps]) {
      expect((await imported([], folder)).errors).toEqual({ de_hall: null });
    }
    expect((await imported([], join(game, 'nothing'))).text).toContain('There are no maps in');
  });

  it('writes what it can, says what is wrong with the rest, and goes nowhere else', async () => {
    const nav = writeNav([HALL]);
    const withEntry = (path: string, checksum?: number) =>
      writeVpk([{ path, content: nav, ...(checksum !== undefined && { checksum }) }]).archive;
    put('a_good.nav', nav);
    put('b_csgo.nav', Buffer.concat([nav.subarray(0, 4), Buffer.of(16, 0, 0, 0), nav.subarray(8)]));
    put('c_text.nav', Buffer.from('not a navigation mesh'));
    put('d_short.nav', nav.subarray(0, nav.length - 30));
    put('e_empty.nav', writeNav([{ ...HALL, hull: 2 }]));
    put('f_far.nav', writeNav([rectangle(0, 0, 20_000, 10, 0)]));
    put('g_damaged.vpk', withEntry('maps/de_g.nav', 7));
    put('h_up.vpk', withEntry('maps/../../../escaped.nav'));
    put('i_text.vpk', Buffer.from('not an archive, but long enough'));
    put('j_new.vpk', writeVpk([], { version: 3 }).archive);
    put('k_cut.vpk', withEntry('maps/de_k.nav').subarray(0, 60));
    const outside = join(game, 'outside.nav');
    writeFileSync(outside, nav);
    symlinkSync(outside, join(maps, 'l_link.nav'));
    const { archive } = writeVpk([{ path: 'maps/de_m.nav', content: nav }], { parts: true });
    put('m_dir.vpk', archive);
    symlinkSync(outside, join(maps, 'm_000.vpk'));
    put('N-Name.nav', nav);
    const { errors } = await imported();
    expect(errors).toEqual({
      a_good: null,
      b_csgo: 'is a navigation mesh of version 16; 30 to 36 are known',
      c_text: 'is no navigation mesh',
      d_short: expect.stringContaining('within its content'),
      e_empty: 'has no area for players',
      f_far: expect.stringContaining('has a corner at 20000'),
      de_g: 'maps/de_g.nav is damaged: its checksum is another',
      'i_text.vpk': 'is no VPK',
      'j_new.vpk': 'is a VPK of version 3; 1 and 2 are known',
      'k_cut.vpk': expect.stringContaining('within its content'),
      de_m: expect.stringContaining('ELOOP'),
      'N-Name.nav': expect.any(String),
    });
    expect(readdirSync(out)).toEqual(['a_good.outline.json']);
    expect(readdirSync(game).sort()).toEqual(['game', 'out', 'outside.nav']);
  });

  it('2,000 damaged meshes end in an error that says so, or in areas within the limits', () => {
    const whole = writeNav([HALL, rectangle(512, -64, 900, 64, -20), rectangle(0, 300, 80, 400, 0)], 36);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(whole.length),
        fc.boolean(),
        (changes, length, isCut) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of changes) bytes[at] = value;
          try {
            const { areas } = readNav(isCut ? bytes.subarray(0, length) : bytes);
            expect(areas.flat().every((value) => Math.abs(value) <= 16_384)).toBe(true);
          } catch (error) {
            refused += 1;
            expect((error as Error).message).toMatch(/^(is|has|ends) /);
          }
        },
      ),
      { numRuns: 2000, seed: 34 },
    );
    expect(refused).toBeGreaterThan(1000);
  });
});

it('`maps import` writes to TICKREEL_OUTLINE_DIR, and is done with status 1 if a map is not', {
  tags: ['long'],
}, () => {
  put('de_hall.nav', writeNav([HALL]));
  const run = (...args: string[]) =>
    spawnSync('node', ['packages/render-host/main.ts', 'maps', 'import', game, ...args], {
      encoding: 'utf8',
      env: { ...process.env, TICKREEL_OUTLINE_DIR: out },
    });
  const { stdout, status } = run('--json');
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, maps: [{ map: 'de_hall', error: null }] });
  expect(existsSync(join(out, 'de_hall.outline.json'))).toBe(true);
  expect(run('--out', join(game, 'other'), '--map', 'de_none')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('de_none: is not in this folder'),
  });
});
