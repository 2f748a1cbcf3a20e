import * as z from 'zod';
import type { Clip } from '../domain/clip.ts';
import { isoTime } from './job-view.ts';

/** Spec 2.3. */
export const ClipView = z.object({
  id: z.uuid(),
  state: z.enum(['ready', 'deleted']),
  is_saved: z.boolean(),
  title: z.string(),
  resolution: z.int(),
  fps: z.int(),
  tier: z.enum(['metered', 'reserved']),
  duration_seconds: z.number(),
  size: z.string().regex(/^\d+$/),
  job_id: z.uuid().nullable(),
  created_at: z.iso.datetime(),
});
export type ClipView = z.infer<typeof ClipView>;

export function clipView(id: string, jobId: string, clip: Clip): ClipView {
  return {
    id,
    state: clip.state,
    is_saved: clip.isSaved,
    title: clip.title,
    resolution: clip.resolution,
    fps: clip.fps,
    tier: clip.tier,
    duration_seconds: clip.durationSeconds,
    size: String(clip.video.bytes),
    job_id: jobId,
    created_at: isoTime(clip.createdAt),
  };
}
