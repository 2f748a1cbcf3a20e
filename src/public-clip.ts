import type { Clip } from '../domain/clip.ts';
import { counterpartId, isUuid } from '../domain/ids.ts';
import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import { findClip } from '../storage/clip-index.ts';
import { createDatabase } from '../storage/database.ts';

/** A clip as anybody may see it; null when there is none. The index answers; a clip it does not know yet, its job. */
export async function loadPublicClip(env: Bindings, id: string): Promise<Clip | null> {
  const seen = await look(env, id);
  return seen === 'rendering' ? null : seen;
}

/** The same, straight from its owner: for when the index turns out to be behind. */
export async function loadFreshClip(env: Bindings, id: string): Promise<Clip | null> {
  const seen = await renderJobOf(env, counterpartId(id)).readPublicClip();
  return seen === 'rendering' ? null : seen;
}

/** For a page: a clip to play, or why there is none. That a clip is in the making is all it tells of it. */
export async function loadViewable(env: Bindings, id: string): Promise<Clip | 'deleted' | 'rendering' | 'unknown'> {
  const clip = await look(env, id);
  if (clip === null) return 'unknown';
  return clip !== 'rendering' && clip.state === 'deleted' ? 'deleted' : clip;
}

/** The index, and where it knows nothing, the owner. */
async function look(env: Bindings, id: string): Promise<Clip | 'rendering' | null> {
  if (!isUuid(id)) return null;
  return (await findClip(createDatabase(env.DB), id)) ?? renderJobOf(env, counterpartId(id)).readPublicClip();
}
