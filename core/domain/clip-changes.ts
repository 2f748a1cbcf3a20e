import { type Clip, type RenderResult, tierOf } from './clip.ts';
import type { Job } from './job.ts';

/**
 * The clip after its job succeeded. A re-run overwrites the same clip: it is `ready` again even if it had been
 * deleted, and keeps its keep mark and its date of creation.
 */
export function clipAfterRender(job: Job, result: RenderResult, now: number): Clip {
  return {
    ...result,
    state: 'ready',
    isSaved: job.clip?.isSaved ?? false,
    resolution: job.resolution,
    fps: job.fps,
    tier: tierOf(job.priority),
    createdAt: job.clip?.createdAt ?? now,
    renderedAt: now,
  };
}

/** The same object when nothing changes. */
export function clipAfterSave(clip: Clip | null, isSaved: boolean): Clip | null {
  return clip && clip.isSaved !== isSaved ? { ...clip, isSaved } : clip;
}

/** The same object when the clip is deleted already. */
export function clipAfterDelete(clip: Clip | null): Clip | null {
  return clip && clip.state !== 'deleted' ? { ...clip, state: 'deleted' } : clip;
}
