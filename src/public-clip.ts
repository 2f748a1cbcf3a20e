import type { Clip } from '../domain/clip.ts';
import { isUuid } from '../domain/ids.ts';
import type { Service } from '../service/service.ts';
import { findClip } from '../storage/clip-index.ts';

/** Where clips are looked up: the index, and the jobs that own them. */
export type ClipSource = Pick<Service, 'database' | 'job' | 'clipIds'>;

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
  return (await findClip(source.database, id)) ?? askOwners(source, id);
}

async function askOwners({ job, clipIds }: ClipSource, id: string): Promise<Clip | 'rendering' | null> {
  for (const owner of await clipIds.ownersOf(id)) {
    const seen = await job(owner).readPublicClip(id);
    if (seen !== null) return seen;
  }
  return null;
}
