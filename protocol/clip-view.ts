import * as z from 'zod';
import { type Clip, TIERS } from '../domain/clip.ts';
import { isoTime } from './job-view.ts';

/** Contract 2.3. */
export const ClipView = z
  .object({
    id: z.uuid().meta({ description: 'The clip, as its public addresses name it. Another id than the job’s.' }),
    state: z.enum(['ready', 'deleted']).meta({ description: '`deleted` by you or because its time was up.' }),
    is_saved: z.boolean().meta({ description: 'Kept for good. Other clips expire.' }),
    title: z.string().meta({ description: 'Made from the demo: what is seen, who, and where.' }),
    resolution: z.int().meta({ description: 'Height of the picture in pixels.' }),
    fps: z.int().meta({ description: 'Frames a second.' }),
    tier: z.enum(TIERS).meta({ description: 'Which key submitted its job.' }),
    duration_seconds: z.number().meta({ description: 'Its length; 0 where it could not be read.' }),
    size: z.string().regex(/^\d+$/).meta({ description: 'Bytes of the MP4, as a string of decimal digits.' }),
    job_id: z.uuid().nullable().meta({ description: 'The job that made it.' }),
    created_at: z.iso.datetime().meta({ description: 'When it first became ready.' }),
  })
  .meta({ id: 'Clip', description: 'A clip as it stands.' });
export type ClipView = z.infer<typeof ClipView>;

/** How often a clip was watched. */
export const ClipViews = z
  .object({
    clip_id: z.uuid().meta({ description: 'The clip.' }),
    since: z.iso.date().meta({ description: 'The first day (UTC) that is still known.' }),
    total: z.int().meta({ description: 'Views since then.' }),
    days: z
      .array(
        z.object({
          date: z.iso.date().meta({ description: 'The day (UTC).' }),
          views: z.int().meta({ description: 'Players that began to play the clip.' }),
        }),
      )
      .meta({ description: 'Days with views, the oldest first.' }),
  })
  .meta({ id: 'ClipViews', description: 'How often a clip was watched, by day.' });

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
