import type { Clip } from './clip.ts';

/**
 * Returns the clip after a successful run. A re-run replaces the files of the same clip and makes a deleted clip
 * `ready`. Its keep mark and creation time stay.
 */
export function clipAfterRender(
  before: Clip | null,
  rendered: Omit<Clip, 'state' | 'isSaved' | 'createdAt' | 'renderedAt' | 'removal'>,
  now: number,
): Clip {
  const isSaved = before?.isSaved ?? false;
  return { ...rendered, state: 'ready', isSaved, createdAt: before?.createdAt ?? now, renderedAt: now };
}

/** Returns the same object if nothing changes, and for a clip that the operator took down. */
export function clipAfterSave(clip: Clip | null, isSaved: boolean): Clip | null {
  return clip && !clip.removal && clip.isSaved !== isSaved ? { ...clip, isSaved } : clip;
}

/** Returns the same object if the clip is deleted already. */
export function clipAfterDelete(clip: Clip | null): Clip | null {
  return clip && clip.state !== 'deleted' ? { ...clip, state: 'deleted' } : clip;
}
