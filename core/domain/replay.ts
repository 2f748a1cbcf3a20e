import type { Job } from './job.ts';
import { type JobEvent, PUBLISH, type Transition } from './job-event.ts';
import { folderOf } from './storage-keys.ts';
import { traitsOf } from './work.ts';

/**
 * Whether the ticks of a job's clip may be shown: before its first clip, and beside a clip of the same request. A run
 * that makes the clip again may be of another request.
 */
export function mayHaveTracks({ status, clip, removal }: Job): boolean {
  if (removal || status === 'error') return false;
  return clip === null || (status === 'done' && clip.state === 'ready');
}

/** Ends a replay with its clip, its request or its inspection, or when a demo that was read again has another one. */
export function withoutOldTracks(before: Job | null, event: JobEvent, result: Transition): Transition {
  const tracks = before?.tracks;
  if (!result.ok || !tracks) return result;
  const { clip, status, removal, work } = result.job;
  const isReplaced = result.job.tracks !== tracks;
  const hasFailed = status === 'error' && !traitsOf(work).isNamed;
  const isOver = clip ? clip.state === 'deleted' : hasFailed || removal !== undefined;
  const ends = event.type === 'redo' ? !event.keepsTracks : event.type === 'erase' || event.type === 'forget-tracks';
  if (!isOver && !ends && !isReplaced) return result;
  // As for an expired clip, caches keep the file for minutes.
  const isQuiet = event.type === 'expire-clip' || event.type === 'forget-tracks';
  const purge = isQuiet ? undefined : isReplaced ? 'overwrite' : 'deletion';
  const effects = result.effects.filter(({ type }) => type !== 'project');
  const files = { type: 'delete-files', prefix: folderOf(tracks.key), purge } as const;
  const job = isReplaced ? result.job : { ...result.job, tracks: undefined };
  return { ...result, job, effects: [PUBLISH, ...effects, files] };
}
