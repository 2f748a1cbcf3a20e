import type { Clip } from './clip.ts';

/**
 * The clip after its job succeeded. A re-run overwrites the same clip: it is `ready` again even if it had been
 * deleted, and keeps its keep mark and its date of creation.
 */
export function clipAfterRender(
  before: Clip | null,
  rendered: Omit<Clip, 'state' | 'isSaved' | 'createdAt' | 'renderedAt'>,
  now: number,
): Clip {
  const isSaved = before?.isSaved ?? false;
  return { ...rendered, state: 'ready', isSaved, createdAt: before?.createdAt ?? now, renderedAt: now };
}

/** The same object when nothing changes. */
export function clipAfterSave(clip: Clip | null, isSaved: boolean): Clip | null {
  return clip && clip.isSaved !== isSaved ? { ...clip, isSaved } : clip;
}

/** The same object when the clip is deleted already. */
export function clipAfterDelete(clip: Clip | null): Clip | null {
  return clip && clip.state !== 'deleted' ? { ...clip, state: 'deleted' } : clip;
}
