import { createHash, randomInt } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { STORED_VERSIONS } from '../domain/stored-versions.ts';
import { migrationFiles } from './migrate.ts';

const Version = z.object({
  /** The version of the folder's layout. */
  v: z.int().min(1),
  /** The versions of its stores: the version of each kind of object, and the hash of each migration. */
  schema: z.record(z.string(), z.union([z.int(), z.string()])).default({}),
  /** The `FENCE_FLOOR` of its last start. */
  fenceFloor: z.int().default(0),
});
type Version = z.infer<typeof Version>;
const FILE = 'version.json';
const CURRENT = 3;
/** The smallest and the largest step of the fence, in milliseconds, after the clock went back. */
const LEAP = [1e6, 1e9] as const;
/** What the first version had for a lock. */
export const FIRST_LOCK = 'stack.lock';

/** What leads from each version to the next. Each may have been cut off half way: it is then run again. */
const UPGRADES: Readonly<Record<number, (dataDir: string) => Promise<void>>> = { 1: fromFirst };

/**
 * Makes the folder, or looks at the one that is there, and changes nothing in it.
 * Throws an Error when it was written by a newer Tickreel.
 */
export async function openDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const { v, schema } = await readVersion(dataDir);
  const known = await knownSchema();
  const unknown = Object.entries(schema).filter(([name, stored]) => !isKnown(stored, known[name]));
  if (v <= CURRENT && unknown.length === 0) return;
  const newer = v > CURRENT ? [`version ${v}, and this one knows up to ${CURRENT}`] : [];
  const what = [...newer, ...unknown.map(([name, stored]) => `${name} ${stored}, which this one does not know`)];
  throw new Error(`${dataDir} was written by a newer Tickreel (${what.join('; ')}). Use that one, or another folder.`);
}

function isKnown(stored: number | string, known: number | string | undefined): boolean {
  return typeof stored === 'number' && typeof known === 'number' ? stored <= known : stored === known;
}

async function knownSchema(): Promise<Version['schema']> {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
  const migrations = (await migrationFiles()).map(({ name, text }) => [name, hashOf(text)] as const);
  return { ...STORED_VERSIONS, ...Object.fromEntries(migrations) };
}

/**
 * Upgrades the folder, and returns the fence floor: every lease from now on gets a higher fence. The caller must hold
 * the folder's lock.
 *
 * The floor is the time in milliseconds, and a job gets fewer than one lease a millisecond. So the floor is above all
 * earlier fences, also above those of the folder that this one was copied from. If the clock is behind the folder, the
 * floor is the last one plus a random step, so that two copies of one folder grant different fences.
 */
export async function upgradeDataFolder(dataDir: string): Promise<number> {
  const before = await readVersion(dataDir);
  for (let v = before.v; v < CURRENT; v++) await UPGRADES[v]?.(dataDir);
  const now = Date.now();
  const fenceFloor = now > before.fenceFloor ? now : before.fenceFloor + randomInt(...LEAP);
  const version: Version = { v: CURRENT, schema: await knownSchema(), fenceFloor };
  const path = join(dataDir, FILE);
  await writeFile(`${path}.new`, JSON.stringify(version));
  await rename(`${path}.new`, path);
  return fenceFloor;
}

/** The first version kept no number, and a new folder has nothing that would need another one. */
async function readVersion(dataDir: string): Promise<Version> {
  const path = join(dataDir, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Version.parse({ v: 1 });
    throw error;
  }
  try {
    return Version.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} does not say which version the folder has. It was not written by Tickreel.`);
  }
}

/**
 * Others could read the folder, hosts had their folders side by side with the service's, and the lock was a file's
 * being there.
 */
async function fromFirst(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  // A folder that everybody writes to, such as /tmp, is not ours to close.
  if ((mode & 0o002) === 0) await chmod(dataDir, 0o700);
  const old = (await readdir(dataDir)).filter((name) => name === FIRST_LOCK || /^host-\d+$/.test(name));
  await Promise.all(old.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
}
