import { chmod, lstat, mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SAMPLE_BYTES } from '#domain/lib/file-headers.ts';
import { reasonOf } from '#domain/lib/text.ts';

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5;

/**
 * Takes a lock file for this process; returns null while another process has it. The operating system keeps the lock,
 * through SQLite. So only one of many processes gets it, it is released however its owner ends, and no later process
 * can be mistaken for the owner. The file stays, because deleting it would let two processes in.
 *
 * @throws an Error with a text for the operator if the folder is not writable or its file system has no locks.
 */
export function takeLock(path: string): { release(): void } | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Nothing is written, so no journal is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return null;
    const reason = reasonOf(error);
    throw new Error(`The file ${path} cannot be locked: ${reason}.`);
  }
  const held = database;
  return { release: () => held.close() };
}

/**
 * Makes a folder that only this user can enter, or checks an existing one: in a shared temporary folder, another user
 * may have made a link or a folder of that name.
 *
 * @throws an Error with a text for the operator if it is not a folder, or not this user's.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory()) {
    throw new Error(`${path} is ${found.isSymbolicLink() ? 'a link' : 'a file'}, not a folder: remove it.`);
  }
  const me = process.getuid?.();
  if (me !== undefined && found.uid !== me) {
    throw new Error(`The folder ${path} belongs to another user (${found.uid}): remove it, or choose another.`);
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

/** Has the user's id in its name, because another user's folder would block this host. */
export const DEFAULT_WORK_DIR = join(tmpdir(), `tickreel-host-${process.getuid?.() ?? 'own'}`);

/** Hosts on one machine share a work folder. Each has a subfolder, from `host-1` on. */
const PLACE = /^host-\d+$/;
const MOST_PLACES = 1000;
const LOCK = 'lock';
/** The subfolder for cached demos, which are deleted with the host. */
export const KEPT_DIR = 'kept';
/** The subfolder for footprints, which the next host of the same subfolder uses. */
export const FOOTPRINTS_DIR = 'footprints';
/** The subfolder for lists of events, likewise. */
export const EVENT_LISTS_DIR = 'event-lists';

/** The name of a job's folder: its id and its fence. */
const JOB_DIR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d+$/;

export interface WorkPlace {
  /** A folder that no other host uses while this one runs. */
  readonly path: string;
  release(): void;
}

/**
 * Takes a subfolder of the work folder that no running host uses. Deletes the jobs and cached demos that ended hosts
 * left in theirs, and nothing else. A configured folder may be a link; the default one, and each subfolder, must belong
 * to this user.
 *
 * @throws an Error with a text for the operator if the folder cannot be used.
 */
export async function takeWorkPlace(root: string): Promise<WorkPlace> {
  if (root === DEFAULT_WORK_DIR) await openPrivateFolder(root);
  else await mkdir(root, { recursive: true, mode: 0o700 });
  let mine: WorkPlace | null = null;
  for (let number = 1; mine === null; number++) {
    if (number > MOST_PLACES) throw new Error(`${MOST_PLACES} hosts work in ${root} already.`);
    mine = await takePlace(join(root, `host-${number}`));
  }
  for (const name of await readdir(root)) {
    if (!PLACE.test(name) || join(root, name) === mine.path) continue;
    // Another user's subfolders of a shared folder are not ours to delete.
    (await takePlace(join(root, name)).catch(() => null))?.release();
  }
  return mine;
}

/** Returns null while a running host has it. Deletes what an ended host left in it. */
async function takePlace(path: string): Promise<WorkPlace | null> {
  await openPrivateFolder(path);
  const lock = takeLock(join(path, LOCK));
  if (lock === null) return null;
  const leftovers = (await readdir(path)).filter((name) => name === KEPT_DIR || JOB_DIR.test(name));
  await Promise.all(leftovers.map((name) => rm(join(path, name), { recursive: true, force: true })));
  return { path, release: lock.release };
}

/** Returns the bytes that this user may still write on the disk of a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Returns the first bytes of a file, which show what it is. */
export async function firstBytesOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
