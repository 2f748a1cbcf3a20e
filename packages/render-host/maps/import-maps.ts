import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { reasonOf } from '#domain/lib/text.ts';
import { outlineSplits } from '#scene/match/levels.ts';
import { outlineFile, outlineName, parseOutline, writeOutline } from '../match/inspect-match.ts';
import { readNav } from './nav.ts';
import { readPart, readVpk } from './vpk.ts';

/** What became of one map, or of one file that could not be read. */
export interface ImportedMap {
  /** The map, or the name of the file. */
  readonly map: string;
  readonly areas: number;
  readonly levels: number;
  /** Of the outline's file. */
  readonly bytes: number;
  /** Why there is no outline; null if there is one. */
  readonly error: string | null;
}

export interface ImportOptions {
  /** The folder that the outlines are written to. */
  readonly out: string;
  /** The maps to write; all if there is none. */
  readonly only: readonly string[];
  readonly print: (text: string) => void;
}

/** Where maps are below the folder that the operator names; workshop maps are in a folder of their own. */
const FOLDERS = ['game/csgo/maps', 'csgo/maps', 'maps', '.'];
const MESH = /^maps\/([a-z0-9_]{1,64})\.nav$/;

/**
 * Writes an outline for each map of a game installation that has a navigation mesh. A map that cannot be read keeps
 * none of the others from being written. Nothing leaves the machine.
 */
export async function importMaps(folder: string, { out, only, print }: ImportOptions): Promise<ImportedMap[]> {
  const found = await mapFiles(folder);
  if (found === null) {
    print(`There are no maps in ${folder}: it should be the folder of the game, or one with .vpk or .nav files.\n`);
    return [];
  }
  print(`Reading ${found.names.length} files in ${found.folder}\n`);
  const asked = new Set(only.map((name) => name.toLowerCase()));
  const results: ImportedMap[] = [];
  const add = (result: ImportedMap): void => {
    results.push(result);
    print(`${lineOf(result)}\n`);
  };
  const write = async (map: string, nav: () => Promise<Buffer>): Promise<void> => {
    if (asked.size > 0 && !asked.has(map)) return;
    try {
      add(await writeMap(out, map, await nav()));
    } catch (error) {
      add(failed(map, error));
    }
  };
  for (const name of found.names) {
    const path = join(found.folder, name);
    try {
      if (name.endsWith('.nav')) {
        await write(outlineName(name.slice(0, -4)) ?? name, () => readPart(path, 0));
        continue;
      }
      for (const entry of await readVpk(path, (inside) => MESH.test(inside))) {
        await write(MESH.exec(entry.path)?.[1] ?? entry.path, entry.read);
      }
    } catch (error) {
      add(failed(name, error));
    }
  }
  const written = results.filter(({ error }) => error === null);
  for (const map of asked) {
    if (!results.some((one) => one.map === map)) add(failed(map, 'is not in this folder, or has no navigation mesh'));
  }
  if (written.length > 0) print(`Set TICKREEL_OUTLINE_DIR=${resolve(out)} for hosts that draw these maps.\n`);
  else if (results.length === 0) print('None of them has a navigation mesh.\n');
  return results;
}

/** Returns the archives and meshes of the first folder that has any; links are left out. */
async function mapFiles(folder: string): Promise<{ readonly folder: string; readonly names: string[] } | null> {
  for (const part of FOLDERS) {
    const path = join(folder, part);
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    // `_000.vpk` and so on are parts of `_dir.vpk`.
    const names = files.filter((name) => /\.(vpk|nav)$/.test(name) && !/_\d{3}\.vpk$/.test(name));
    if (names.length > 0) return { folder: path, names: names.sort() };
  }
  return null;
}

/** Writes to a temporary file and renames it, because a host may read meanwhile. */
async function writeMap(out: string, map: string, nav: Buffer): Promise<ImportedMap> {
  const { version, areas } = readNav(nav);
  const splits = outlineSplits(map, areas);
  const text = writeOutline({ map, source: `nav ${version}`, splits, areas });
  // A host reads it with the same function, and must not refuse it.
  parseOutline(text);
  await mkdir(out, { recursive: true });
  const path = join(out, outlineFile(map));
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  return { map, areas: areas.length, levels: splits.length + 1, bytes: Buffer.byteLength(text), error: null };
}

function failed(map: string, error: unknown): ImportedMap {
  return { map, areas: 0, levels: 0, bytes: 0, error: reasonOf(error) };
}

function lineOf({ map, areas, levels, bytes, error }: ImportedMap): string {
  if (error !== null) return `${map}: ${error}`;
  return `${map}: ${areas} areas on ${levels === 1 ? 'one level' : `${levels} levels`}, ${Math.ceil(bytes / 1024)} KiB`;
}
