import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPrivateFolder } from './private-folder.ts';
import { takeLock } from './process-lock.ts';

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
