import { createRecent } from '#domain/lib/recent.ts';
import { notFound } from '#http/problem.ts';
import { ShownViews } from '#protocol/clip/clip-view.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { perService } from '#service/lib/per-service.ts';

/** How long an isolate, and a cache in front of it, keep a number of views, in milliseconds. */
const FRESH_MS = 60_000;
/** How many numbers an isolate keeps. */
const MAX_CLIPS = 1000;

interface KnownTotal {
  readonly until: number;
  readonly total: Promise<number>;
}
const knownTotals = perService(() => createRecent<KnownTotal>(MAX_CLIPS));

/** An isolate asks the index once a minute for each clip. */
export const shownViews = operation({
  route: 'GET /clips/:id/views',
  scope: 'public',
  answers: { 200: ShownViews },
  handler: limitGuesses(async (service, context) => {
    const { id } = context.params;
    const known = knownTotals(service);
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
    return context.reply(200, { total: await kept.total }, { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` });
  }),
});

export const words = (): Words => ({
  shownViews: {
    tag: 'Viewing',
    summary: 'Show the views of a clip',
    description:
      'Returns views, at most two minutes old, if the account shows them on pages of clips. Answers 404 otherwise.',
    answers: { 200: answer('The number of views in the last 90 days.', { total: 1842 }) },
    problems: ['not_found'],
  },
});
