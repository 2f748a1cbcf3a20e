import { createRecent } from '#domain/recent.ts';
import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';

/** Milliseconds that an isolate, and a cache in front of it, take a number of views for true. */
const FRESH_MS = 60_000;
/** Clips whose views an isolate remembers. */
const MOST_CLIPS = 1000;

/**
 * `GET /clips/:id/views`: how often a clip was watched, where its account has pages show it. Asked for by a page that
 * is there already, so nobody waits for the index, which an isolate asks once a minute for each clip.
 */
export function createShownViews(): PageHandler<'views' | 'now', 'id'> {
  const known = createRecent<{ readonly until: number; readonly total: Promise<number> }>(MOST_CLIPS);
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
