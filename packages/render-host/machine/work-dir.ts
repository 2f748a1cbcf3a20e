import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPrivateFolder } from './private-folder.ts';
import { takeLock } from './process-lock.ts';

/** Of this user alone: another one's would be in the way of his host. */
export const DEFAULT_WORK_DIR = join(tmpdir(), `tickreel-host-${process.getuid?.() ?? 'own'}`);

/** Hosts on one machine share a work folder and have a place each in it, from `host-1` on. */
const PLACE = /^host-\d+$/;
const MOST_PLACES = 1000;
const LOCK = 'lock';
/** Where a place keeps demos, for as long as its host runs. */
export const KEPT_DIR = 'kept';
/** And where players walked on each map, for whoever has the place next. */
export const FOOTPRINTS_DIR = 'footprints';

/** The name of a job's folder: its id and the fence it was claimed under. */
const JOB_DIR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d+$/;

export interface WorkPlace {
  /** A folder that no other host uses while this one runs. */
  readonly path: string;
  release(): void;
}

/**
 * Takes a place in the work folder that no living host has, and removes the jobs and the kept demos that dead hosts
 * left in theirs, and nothing else. A folder that was chosen may lie behind a link; the default one, and every place,
 * must be this user's own.
 *
 * @throws an Error in words for a person, when the folder cannot be used.
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
    // What another user left in a shared folder is not ours to remove.
    (await takePlace(join(root, name)).catch(() => null))?.release();
  }
  return mine;
}

/** null while a living host has it. What a dead one left there is gone afterwards. */
async function takePlace(path: string): Promise<WorkPlace | null> {
  await openPrivateFolder(path);
  const lock = takeLock(join(path, LOCK));
  if (lock === null) return null;
  const leftovers = (await readdir(path)).filter((name) => name === KEPT_DIR || JOB_DIR.test(name));
  await Promise.all(leftovers.map((name) => rm(join(path, name), { recursive: true, force: true })));
  return { path, release: lock.release };
}
