import * as z from 'zod';
import { type Clip, TIERS } from '#domain/clip.ts';
import { RENDERERS } from '#domain/need.ts';
import { TEST_KEPT_MS } from '#domain/test-end.ts';
import { includeOf } from './include.ts';
import { isoTime, isoTimeOrNull } from './job-view.ts';
import { clipUrls } from './webhook.ts';

/** Contract 2.3. */
export const ClipView = z.object({
  id: z.uuid().meta({ description: 'The clip, as its public addresses name it. Another id than the job’s.' }),
  state: z.enum(['ready', 'deleted']).meta({ description: '`deleted` by you, the operator or its age.' }),
  is_saved: z.boolean().meta({ description: 'Kept for good. Other clips expire.' }),
  title: z.string().meta({ description: 'Made from the demo: what happens, who, and where.' }),
  resolution: z.int().meta({ description: 'Height of the picture in pixels.' }),
  fps: z.int().meta({ description: 'Frames a second.' }),
  tier: z.enum(TIERS).meta({ description: 'Which key submitted its job.' }),
  duration_seconds: z.number().meta({ description: 'Its length; 0 where it could not be read.' }),
  size: z.string().regex(/^\d+$/).meta({ description: 'Bytes of the MP4, as a string of decimal digits.' }),
  job_id: z.uuid().nullable().meta({ description: 'The job that made it.' }),
  created_at: z.iso.datetime().meta({ description: 'When it first became ready.' }),
});
export type ClipView = z.infer<typeof ClipView>;

/** The number of views of a clip. */
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

/** The same for viewers, if the account shows it. */
export const ShownViews = z
  .object({ total: z.int().meta({ description: 'Views in the last 90 days.' }) })
  .meta({ id: 'ShownViews', description: 'How often a clip was watched.' });

export const MoreClips = z
  .object({
    clips: z.array(
      z
        .object({
          title: z.string().meta({ description: 'As on its page.' }),
          duration_seconds: z.number().meta({ description: 'Its length.' }),
          page: z.string().meta({ description: 'Its page.', format: 'uri-reference' }),
          thumbnail: z.string().meta({ description: 'Its poster.', format: 'uri-reference' }),
        })
        .meta({ id: 'OtherClip', description: 'A clip, as the page of another one shows it.' }),
    ),
  })
  .meta({ id: 'MoreClips', description: 'What else there is to see.' });

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

/** What `?include=…` adds to a clip. */
const CLIP_INCLUDES = ['urls', 'expiry', 'renderer', 'removal'] as const;
export type ClipInclude = (typeof CLIP_INCLUDES)[number];
export const clipInclude = includeOf(CLIP_INCLUDES);
export const ClipQuery = z.object({ include: clipInclude });

const Urls = z
  .object({
    page: z.url().meta({ description: 'The page to share.' }),
    embed: z.url().meta({ description: 'The player alone, for an iframe.' }),
    video: z.url().meta({ description: 'The MP4.' }),
    thumbnail: z.url().meta({ description: 'The JPEG.' }),
  })
  .meta({ id: 'ClipUrls', description: 'The public addresses of a clip.' });
export const madeWith: z.ZodNullable<z.ZodEnum<{ radar: 'radar'; cs2: 'cs2' }>> = z.enum(RENDERERS).nullable().meta({
  description: 'What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known.',
});

export const Removal = z
  .object({
    at: z.iso.datetime().meta({ description: 'When.' }),
    reason: z.string().meta({ description: 'The operator’s words.' }),
  })
  .meta({ id: 'ClipRemoval', description: 'Why it was taken down.' });

export const ClipDetail = ClipView.extend({
  urls: Urls.optional().meta({ description: 'Its public addresses. Those of a deleted clip say that it is gone.' }),
  expires_at: z.iso.datetime().nullable().optional().meta({
    description: 'When it is deleted unless it is saved until then; null where it is saved, or deleted already.',
  }),
  renderer: madeWith.optional(),
  removal: Removal.nullable().optional().meta({ description: 'Null unless the operator took it down.' }),
}).meta({ id: 'Clip', description: 'A clip, with the included fields.' });
export type ClipDetail = z.infer<typeof ClipDetail>;

export function removalView({ removal }: Clip): z.infer<typeof Removal> | null {
  return removal ? { at: isoTime(removal.at), reason: removal.reason } : null;
}

/**
 * Returns a clip with its includes. `clipTtl`: how long an unsaved clip is kept, in milliseconds. `isTest`: a test key
 * made it.
 */
export function clipDetail(
  id: string,
  jobId: string,
  clip: Clip,
  include: readonly ClipInclude[],
  { baseUrl, clipTtl, isTest }: { readonly baseUrl: string; readonly clipTtl: number; readonly isTest?: boolean },
): ClipDetail {
  const { page, embed, video, thumbnail } = clipUrls(baseUrl, id);
  const unsaved = clip.isSaved ? null : clip.renderedAt + clipTtl;
  const expires = isTest ? clip.createdAt + TEST_KEPT_MS : unsaved;
  return {
    ...clipView(id, jobId, clip),
    ...(include.includes('urls') ? { urls: { page, embed, video, thumbnail } } : {}),
    ...(include.includes('expiry') ? { expires_at: clip.state === 'ready' ? isoTimeOrNull(expires) : null } : {}),
    ...(include.includes('renderer') ? { renderer: clip.renderer ?? null } : {}),
    ...(include.includes('removal') ? { removal: removalView(clip) } : {}),
  };
}
