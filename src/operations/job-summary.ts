import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import type { JobSummary } from '#protocol/lists.ts';
import type { JobRow } from '#storage/schema.ts';

/** Returns a job as lists and streams of changes have it, from the index. */
export function jobSummary(row: JobRow): JobSummary {
  return {
    id: row.id,
    status: row.status,
    // Lists have no inspections.
    mode: row.mode === 'timeline' ? 'timeline' : 'round',
    priority: row.priority,
    fps: row.fps,
    resolution: row.resolution,
    clip_id: row.status === 'done' ? row.clipId : null,
    error_code: row.errorCode,
    created_at: isoTime(row.createdAt),
    finished_at: isoTimeOrNull(row.finishedAt),
  };
}
