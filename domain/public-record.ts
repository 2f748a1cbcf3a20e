import type { Clip } from './clip.ts';
import { isFinished, type Job } from './job.ts';

/** What anybody may know of a clip that can be played. */
export type PublicClip = Omit<Clip, 'state' | 'isSaved' | 'tier'>;

/**
 * All that viewers need of a clip: it lies beside the clip's files, and is all that they ask for. `version` is the
 * job's, so that an older record never takes the place of a newer one. `rendering`: there is no clip yet. `unknown`:
 * there will be none.
 */
export type PublicRecord =
  | { readonly version: number; readonly state: 'ready'; readonly clip: PublicClip }
  | { readonly version: number; readonly state: 'deleted' | 'rendering' | 'unknown' };

/** What viewers may know of a job's clip as the job stands. */
export function recordOf({ version, status, clip }: Pick<Job, 'version' | 'status' | 'clip'>): PublicRecord {
  if (clip === null) return { version, state: isFinished(status) ? 'unknown' : 'rendering' };
  if (clip.state === 'deleted') return { version, state: 'deleted' };
  const { title, facts, resolution, fps, durationSeconds, video, thumbnail, storyboard, createdAt, renderedAt } = clip;
  const files = { video, thumbnail, storyboard };
  const shown = { title, facts, resolution, fps, durationSeconds, ...files, createdAt, renderedAt };
  return { version, state: 'ready', clip: shown };
}
