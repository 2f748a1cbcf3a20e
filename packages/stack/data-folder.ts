import { createHash, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { STORED_VERSIONS } from '#domain/lib/types.ts';
import { BACKUP_FILE } from './backups.ts';
import { writeJson } from './data-lock.ts';
import { migrationFiles } from './migrate.ts';

const Version = z.object({
  /** The version of the folder's layout. */
  v: z.int().min(1),
  /** The versions of its stores: that of each kind of object, and the hash of each migration. */
  schema: z.record(z.string(), z.union([z.int(), z.string()])).default({}),
  /** The `FENCE_FLOOR` of its last start. */
  fenceFloor: z.int().default(0),
});
type Version = z.infer<typeof Version>;
const FILE = 'version.json';
/** Milliseconds that fences leap when the clock went back: at least, and at most. */
const LEAP = [1e6, 1e9] as const;

type Upgrade = (dataDir: string) => Promise<void>;
/** From version 1 to 2 and so on. Each may have been interrupted, and is then run again. */
const UPGRADES: readonly Upgrade[] = [];
const CURRENT = UPGRADES.length + 1;

/**
 * Makes the folder, or checks an existing one without changing it. Throws an Error if a newer Tickreel wrote it, or
 * if it is a backup: its files are also those of other backups.
 */
export async function openDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (existsSync(join(dataDir, BACKUP_FILE))) throw new Error(`${dataDir} is a backup. Restore it: npm run restore`);
  const version = await readVersion(dataDir);
  if (version === null) return;
  const { v, schema } = version;
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
 * Upgrades the folder, and returns the fence floor: each later lease gets a higher fence. The caller must hold the
 * folder's lock.
 *
 * The fence is the time. A job gets fewer than one lease a millisecond, so the fence is above all earlier ones, also
 * those of a copied folder. If the clock is behind the folder, the fence is a random step above the last one, so that
 * two copies of one folder grant different fences.
 *
 * `upgrades` differ only in tests.
 */
export async function upgradeDataFolder(dataDir: string, upgrades: readonly Upgrade[] = UPGRADES): Promise<number> {
  const before = await readVersion(dataDir);
  if (before === null) await closeToOthers(dataDir);
  else for (const upgrade of upgrades.slice(before.v - 1)) await upgrade(dataDir);
  const now = Date.now();
  const last = before?.fenceFloor ?? 0;
  const fenceFloor = now > last ? now : last + randomInt(...LEAP);
  const version: Version = { v: upgrades.length + 1, schema: await knownSchema(), fenceFloor };
  writeJson(join(dataDir, FILE), version);
  return fenceFloor;
}

/**
 * Has the next start of a restored folder grant fences above all that may have been granted since the backup, by the
 * folder `before` or at any time until now. The step makes up for a clock that is behind.
 */
export async function raiseFences(dataDir: string, before: string | null): Promise<void> {
  const version = await readVersion(dataDir);
  if (version === null) throw new Error(`${dataDir} is no folder of a stack`);
  const other = before === null ? null : await readVersion(before).catch(() => null);
  const last = Math.max(Date.now(), version.fenceFloor, other?.fenceFloor ?? 0);
  writeJson(join(dataDir, FILE), { ...version, fenceFloor: last + randomInt(...LEAP) });
}

/** Reads the folder's version; null if it is new. */
async function readVersion(dataDir: string): Promise<Version | null> {
  const path = join(dataDir, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return Version.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} does not say which version the folder has. It was not written by Tickreel.`);
  }
}

/** Throws an Error if this process is root's and the folder is not: its stack could not use what root writes. */
export async function checkUser(folder: string, user = process.getuid?.()): Promise<void> {
  const { uid = user } = (await stat(folder).catch(() => null)) ?? {};
  if (user === 0 && uid !== 0) throw new Error(`${folder} is not root's: run this as its owner, by sudo -u '#${uid}'`);
}

/** Makes the folder private, except one that everybody may write to, such as /tmp. */
async function closeToOthers(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  if ((mode & 0o002) === 0) await chmod(dataDir, 0o700);
}

/**
 * Rewrites a SQLite file together with its log, without deleted rows, after the statements `first`. The runtime leaves
 * deleted rows readable in free pages and in the log, and this cannot be changed while it runs. No other process may
 * use the file.
 *
 * @throws an Error if the file is broken or the disk is full; then the file is unchanged.
 */
export function rewriteDatabase(path: string, first = ''): void {
  checkDatabase(path, (database) => database.exec(`${first}VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`));
}

/**
 * Checks a SQLite file that no other process uses, then calls `use`.
 * @throws an Error if the file is broken.
 */
export function checkDatabase(path: string, use: (database: DatabaseSync) => void = () => {}): void {
  const database = new DatabaseSync(path);
  try {
    const [{ quick_check: verdict } = {}] = database.prepare('PRAGMA quick_check').all();
    if (verdict !== 'ok') throw new Error(`${path} is broken: ${verdict}`);
    use(database);
  } finally {
    database.close();
  }
}

/** Rewrites the index of a folder that no runtime uses. Not the objects: each has a file, so it would take minutes. */
export async function rewriteIndex(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'd1');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const path of files.filter((name) => name.endsWith('.sqlite'))) {
    try {
      rewriteDatabase(join(folder, path));
    } catch (error) {
      process.stderr.write(`Deleted rows may still be in the index: ${reasonOf(error)}\n`);
    }
  }
}
