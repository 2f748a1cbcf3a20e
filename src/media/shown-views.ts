import { createRecent } from '#domain/recent.ts';
import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';

/** How long an isolate, and a cache in front of it, keep a number of views, in milliseconds. */
const FRESH_MS = 60_000;
/** How many numbers an isolate keeps. */
const MAX_CLIPS = 1000;

/**
 * `GET /clips/:id/views`: how often a clip was watched. Only for accounts that enable it. The page loads it after it is
 * shown, so no viewer waits for the index. An isolate queries the index at most once a minute for each clip.
 */
export function createShownViews(): PageHandler<'views' | 'now', 'id'> {
  const known = createRecent<{ readonly until: number; readonly total: Promise<number> }>(MAX_CLIPS);
  return async (service, context) => {
    const { id } = context.params;
    const record = await loadPublicRecord(service, id, context);
    if (record.state !== 'ready' || !record.clip.showsViews) throw notFound();
    const now = service.now();
    let kept = known.get(id);
    if (!kept || kept.until <= now) {
      const total = service.views.read(id).then((days) => days.reduce((sum, { views }) => sum + views, 0));
      kept = { until: now + FRESH_MS, total };
      known.set(id, kept);
      total.catch(() => known.delete(id));
    }
    return json({ total: await kept.total }, 200, { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` });
  };
}
