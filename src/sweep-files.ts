import { HOME } from '../domain/home-database.ts';
import { isUuid } from '../domain/ids.ts';
import { reasonOf } from '../domain/reason.ts';
import type { Service } from '../service/service.ts';
import { readCursor, saveCursor, selectFileKeys } from '../storage/upkeep.ts';
import { databasesOfClip } from './public-clip.ts';

/** Files looked at in one run, of at most so many clips as one statement may name. */
const PAGE = 200;
const CLIPS_A_STATEMENT = 100;
/** Younger files belong to an attempt that is under way, or to a change that the index has yet to hear of. */
const OLD_ENOUGH = 60 * 60 * 1000;
const SWEEP = 'sweep-files';

/**
 * Removes files of clips that nothing refers to: of a host whose last upload overtook the end of its lease, of a change
 * that was cut off in between. Each run of the cron looks at one page of the bucket, so a round takes many. The index
 * clears what it knows; of everything else the job itself decides. Answers with how many files were removed.
 */
export async function sweepFiles(
  service: Pick<Service, 'database' | 'databases' | 'files' | 'job' | 'clipIds' | 'log'>,
  now: number,
): Promise<number> {
  const { database: db, databases, files, job, clipIds, log } = service;
  const startAfter = await readCursor(db, SWEEP);
  const page = await files.list({ prefix: 'clips/', limit: PAGE, ...(startAfter === undefined ? {} : { startAfter }) });
  const old = page.objects.filter(({ uploaded }) => uploaded.getTime() <= now - OLD_ENOUGH).map(({ key }) => key);
  const known = new Set<string>();
  for (const [name, clips] of await byDatabase(new Set(old.map(clipIdOf)))) {
    for (let i = 0; i < clips.length; i += CLIPS_A_STATEMENT) {
      const keys = await selectFileKeys(databases.of(name), clips.slice(i, i + CLIPS_A_STATEMENT));
      for (const key of keys) known.add(key);
    }
  }
  const orphans: string[] = [];
  for (const key of old) if (!isKnown(key) && !(await isOwned(key))) orphans.push(key);
  if (orphans.length > 0) await files.delete(orphans);
  await saveCursor(db, SWEEP, page.truncated ? page.objects.at(-1)?.key : undefined);
  return orphans.length;

  /** The index has no storyboards: one belongs to the video beside it. */
  function isKnown(key: string): boolean {
    return known.has(key) || known.has(key.replace(/storyboard\.jpg$/, 'video.mp4'));
  }

  /** Where the index most likely has them; one that it has elsewhere is asked of its job. */
  async function byDatabase(clips: ReadonlySet<string>): Promise<Map<string, string[]>> {
    const grouped = new Map<string, string[]>();
    for (const clip of clips) {
      const [name = HOME] = isUuid(clip) ? await databasesOfClip(service, clip) : [];
      grouped.set(name, [...(grouped.get(name) ?? []), clip]);
    }
    return grouped;
  }

  /** A job that cannot be asked keeps its files. */
  async function isOwned(key: string): Promise<boolean> {
    const clipId = clipIdOf(key);
    if (!isUuid(clipId)) return false;
    try {
      for (const owner of await clipIds.ownersOf(clipId)) if (await job(owner).ownsFile(key)) return true;
      return false;
    } catch (error) {
      log('the owner of a file could not be asked', { key, error: reasonOf(error) });
      return true;
    }
  }
}

/** `clips/<clip>/<fence>/video.mp4`. */
function clipIdOf(key: string): string {
  return key.split('/')[1] ?? '';
}
