import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import type { Clip } from '#domain/clip/clip.ts';
import { sizeOf } from '#domain/clip/render-order.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { TEST_KEPT_MS } from '#domain/job/test-end.ts';
import { isWindow, NO_WINDOW, next_cursor, page, yesOrNo } from '#protocol/lib/lists.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { includeOf, isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';

/** Contract 2.3. */
export const ClipView = z.object({
  id: field.uuid('Id of the clip, as in its public addresses. It differs from the id of the job.'),
  state: z
    .enum(['ready', 'deleted'])
    .describe('The state of the clip. `deleted` by you, by the operator, or because it expired.'),
  is_saved: field.flag('Whether the clip is kept for good. Other clips expire.'),
  title: field.text('Title of the clip, made from the demo: what happens, who, and where.'),
  resolution: field.integer('Shorter side of the picture in pixels: its height at 16:9.'),
  fps: field.integer('Frame rate in frames a second.'),
  tier: z.enum(TIERS).describe('The kind of key that submitted the job.'),
  duration_seconds: field.number('Length of the clip in seconds. 0 if it could not be read.'),
  size: z.string().regex(/^\d+$/).describe('Size of the MP4 in bytes, as a string of decimal digits.'),
  job_id: field.uuidOrNull('Id of the job that made the clip.'),
  created_at: field.time('Time when the clip was first ready.'),
});
export type ClipView = z.infer<typeof ClipView>;

export const ClipViews = z
  .object({
    clip_id: field.uuid('Id of the clip.'),
    since: z.iso.date().describe('The first day (UTC) that is still known.'),
    total: field.integer('Number of views since then.'),
    days: z
      .array(
        z.object({
          date: z.iso.date().describe('The day in UTC.'),
          views: field.integer('Number of times that a player began to play the clip.'),
        }),
      )
      .describe('Days with views, the oldest first.'),
  })
  .meta({ id: 'ClipViews', description: 'The views of a clip, by day.' });

/** The same for viewers, if the account shows it. */
export const ShownViews = z
  .object({ total: field.integer('Views in the last 90 days.') })
  .meta({ id: 'ShownViews', description: 'The number of views of a clip.' });

export const MoreClips = z
  .object({
    clips: z.array(
      z
        .object({
          title: field.text('The title on the page of the clip.'),
          duration_seconds: field.number('Length of the clip in seconds.'),
          page: z.string().meta({ description: 'Address of the page of the clip.', format: 'uri-reference' }),
          thumbnail: z.string().meta({ description: 'Address of the thumbnail of the clip.', format: 'uri-reference' }),
        })
        .meta({ id: 'OtherClip', description: 'A clip that the page of another clip shows.' }),
    ),
  })
  .meta({ id: 'MoreClips', description: 'Other clips of the same match and player.' });

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
const CLIP_INCLUDES = ['urls', 'expiry', 'renderer', 'removal', 'picture'] as const;
export type ClipInclude = (typeof CLIP_INCLUDES)[number];
const clipInclude = includeOf(CLIP_INCLUDES);
export const ClipQuery = z.object({ include: clipInclude });

const Urls = z
  .object({
    page: field.url('Address of the page to share.'),
    embed: field.url('Address of the player alone, for an iframe.'),
    video: field.url('Address of the MP4 file.'),
    thumbnail: field.url('Address of the JPEG file.'),
  })
  .meta({ id: 'ClipUrls', description: 'The public addresses of a clip.' });
export const madeWith: z.ZodNullable<z.ZodEnum<{ radar: 'radar'; cs2: 'cs2' }>> = z
  .enum(RENDERERS)
  .nullable()
  .describe('The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown.');

export const Removal = z
  .object({
    at: field.time('Time of the removal, in UTC.'),
    reason: field.text('The reason that the operator gave.'),
  })
  .meta({ id: 'ClipRemoval', description: 'The removal of a clip by the operator.' });

export const ClipDetail = ClipView.extend({
  urls: Urls.optional().describe('Public addresses of the clip. Those of a deleted clip show that it was deleted.'),
  expires_at: field
    .timeOrNull('Time when the clip is deleted, unless it is saved before. Null for saved and for deleted clips.')
    .optional(),
  renderer: madeWith.optional(),
  width: field.integer('Width of the picture in pixels.').optional(),
  height: field.integer('Height of the picture in pixels.').optional(),
  removal: Removal.nullable().optional().describe('The removal by the operator. Null if there was none.'),
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
    ...(include.includes('picture') ? sizeOf(clip.resolution, clip.aspect) : {}),
    ...(include.includes('removal') ? { removal: removalView(clip) } : {}),
  };
}

export const ClipListQuery = z
  .strictObject({
    ...page,
    state: z
      .enum(['ready', 'deleted'], 'must be ready or deleted')
      .optional()
      .describe('Return only clips in this state.'),
    include: clipInclude,
    saved: yesOrNo.optional().describe('Return only clips that are kept for good (`true`), or only others (`false`).'),
  })
  .refine(isWindow, NO_WINDOW);

export type ClipListQuery = z.output<typeof ClipListQuery>;

export const ClipList = z
  .object({ clips: z.array(ClipDetail), next_cursor })
  .meta({ id: 'ClipList', description: 'A page of clips, newest first.' });
