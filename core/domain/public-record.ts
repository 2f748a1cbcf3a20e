import * as z from 'zod';
import { ClipShape } from './clip.ts';
import { isFinished, type Job } from './job.ts';
import type { ReadAs } from './shape.ts';
import { USUAL_VIEWING, type Viewing } from './viewing.ts';

/** What anybody may know of a clip that can be played. */
const PublicClipShape = ClipShape.omit({ state: true, isSaved: true, tier: true }).extend({
  /** As in `Viewing`; absent for any site. */
  embedSites: z.array(z.string()).optional(),
  showsViews: z.boolean().optional(),
  /** The lists that it stands in, of its match and its player; absent where its account has no page show them. */
  lists: z.array(z.string()).optional(),
});
export type PublicClip = ReadAs<typeof PublicClipShape>;

/**
 * All that viewers need of a clip: it lies beside the clip's files, and is all that they ask for. `version` is the
 * job's, so that an older record never takes the place of a newer one. `rendering`: there is no clip yet. `unknown`:
 * there will be none.
 */
export const PublicRecordShape = z.discriminatedUnion('state', [
  z.object({ version: z.int(), state: z.literal('ready'), clip: PublicClipShape }),
  z.object({ version: z.int(), state: z.enum(['deleted', 'rendering', 'unknown']) }),
]);
export type PublicRecord = ReadAs<typeof PublicRecordShape>;

/** What viewers may know of a job's clip as the job stands, and how its account has it shown. `lists`: those for it. */
export function recordOf(
  { version, status, clip }: Pick<Job, 'version' | 'status' | 'clip'>,
  { embedSites, showsViews, showsMore }: Viewing = USUAL_VIEWING,
  lists: readonly string[] = [],
): PublicRecord {
  if (clip === null) return { version, state: isFinished(status) ? 'unknown' : 'rendering' };
  if (clip.state === 'deleted') return { version, state: 'deleted' };
  const { title, facts, resolution, fps, durationSeconds, video, thumbnail, storyboard, createdAt, renderedAt } = clip;
  const files = { video, thumbnail, storyboard };
  const wanted = {
    ...(embedSites === null ? {} : { embedSites }),
    ...(showsViews ? { showsViews } : {}),
    ...(showsMore ? { lists } : {}),
  };
  const shown = { title, facts, resolution, fps, durationSeconds, ...files, createdAt, renderedAt, ...wanted };
  return { version, state: 'ready', clip: shown };
}
