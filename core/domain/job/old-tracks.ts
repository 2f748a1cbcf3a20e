import type { StoredFile } from '../clip/clip.ts';
import { type Effect, PUBLISH, type StateChange } from './event.ts';
import type { Job } from './job.ts';
import type { PurgeReason } from './outbox.ts';
import { folderOf } from './storage-keys.ts';

/**
 * Whether the ticks of a job's clip may be shown: before its first clip, and beside a clip of the same request. A run
 * that makes the clip again may be of another request.
 */
export function mayHaveTracks({ status, clip, removal }: Job): boolean {
  if (removal || status === 'error') return false;
  return clip === null || (status === 'done' && clip.state === 'ready');
}

/** Ends the replay of a job with a change, if it has one. Without a `purge`, caches keep its file for minutes. */
export function withoutTracks(changed: StateChange, purge?: PurgeReason): StateChange {
  const { tracks, ...job } = changed.job;
  if (!tracks) return changed;
  const effects = changed.effects.filter(({ type }) => type !== 'project');
  return { ok: true, job, effects: [PUBLISH, ...effects, deleteTracks(tracks, purge)] };
}

export function deleteTracks({ key }: StoredFile, purge?: PurgeReason): Effect {
  return { type: 'delete-files', prefix: folderOf(key), purge };
}
