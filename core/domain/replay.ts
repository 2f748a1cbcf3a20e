import type { Job } from './job.ts';
import { type JobEvent, PUBLISH, type Transition } from './job-event.ts';
import { folderOf } from './storage-keys.ts';

/**
 * Whether the ticks of a job's clip may be shown: before its first clip, and beside a clip of the same request. A run
 * that makes the clip again may be of another request.
 */
export function mayHaveTracks({ status, clip, removal }: Job): boolean {
  if (removal || status === 'error') return false;
  return clip === null || (status === 'done' && clip.state === 'ready');
}

/** Ends a replay with its clip, its request or its inspection: it is never kept longer. */
export function withoutOldTracks(before: Job | null, event: JobEvent, result: Transition): Transition {
  if (!result.ok || !result.job.tracks || result.job.tracks !== before?.tracks) return result;
  const { clip, status, tracks, removal } = result.job;
  const isOver = clip ? clip.state === 'deleted' : status === 'error' || removal !== undefined;
  const ends = ['redo', 'erase', 'forget-tracks'].includes(event.type);
  if (!isOver && !ends) return result;
  // As for an expired clip, caches keep the file for minutes.
  const purge = event.type === 'expire-clip' || event.type === 'forget-tracks' ? undefined : 'deletion';
  const effects = result.effects.filter(({ type }) => type !== 'project');
  const files = { type: 'delete-files', prefix: folderOf(tracks.key), purge } as const;
  return { ...result, job: { ...result.job, tracks: undefined }, effects: [PUBLISH, ...effects, files] };
}
