import type { Clip } from '../domain/clip.ts';
import { databasesOf } from '../domain/home-database.ts';
import { isUuid } from '../domain/ids.ts';
import type { Service } from '../service/service.ts';
import { findClip } from '../storage/clip-index.ts';

/** Where clips are looked up: the index, and the jobs that own them. */
export type ClipSource = Pick<Service, 'databases' | 'job' | 'clipIds'>;

/** A clip as anybody may see it; null when there is none. The index answers; a clip it does not know yet, its job. */
export async function loadPublicClip(source: ClipSource, id: string): Promise<Clip | null> {
  const seen = await look(source, id);
  return seen === 'rendering' ? null : seen;
}

/** The same, straight from its owner: for when the index turns out to be behind. */
export async function loadFreshClip(source: ClipSource, id: string): Promise<Clip | null> {
  const seen = await askOwners(source, id);
  return seen === 'rendering' ? null : seen;
}

/** For a page: a clip to play, or why there is none. That a clip is in the making is all it tells of it. */
export async function loadViewable(
  source: ClipSource,
  id: string,
): Promise<Clip | 'deleted' | 'rendering' | 'unknown'> {
  const clip = await look(source, id);
  if (clip === null) return 'unknown';
  return clip !== 'rendering' && clip.state === 'deleted' ? 'deleted' : clip;
}

/** The index, and where it knows nothing, the owner. */
async function look(source: ClipSource, id: string): Promise<Clip | 'rendering' | null> {
  if (!isUuid(id)) return null;
  for (const name of await databasesOfClip(source, id)) {
    const clip = await findClip(source.databases.of(name), id);
    if (clip) return clip;
  }
  return askOwners(source, id);
}

/**
 * Where the index may have a clip, the likeliest first: the id of its job says so, and that follows from its own. Where
 * there is one database nothing is computed.
 */
export async function databasesOfClip(
  { databases, clipIds }: Pick<Service, 'databases' | 'clipIds'>,
  clipId: string,
): Promise<readonly string[]> {
  if (databases.names.length === 1) return databases.names;
  const [owner = ''] = await clipIds.ownersOf(clipId);
  return databasesOf(owner, databases.names);
}

async function askOwners({ job, clipIds }: ClipSource, id: string): Promise<Clip | 'rendering' | null> {
  for (const owner of await clipIds.ownersOf(id)) {
    const seen = await job(owner).readPublicClip(id);
    if (seen !== null) return seen;
  }
  return null;
}
