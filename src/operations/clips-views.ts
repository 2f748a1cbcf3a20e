import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { isoTime } from '#protocol/job-view.ts';
import { keptDays } from '#service/views.ts';
import { askOwner } from '../clip-owner.ts';
import type { ApiHandler } from './api-handler.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** `GET /api/clips/:id/views`: how often the clip was watched, by day, for some months; also of a deleted one. */
export const getClipViews: ApiHandler<'job' | 'clipIds' | 'views' | 'now', 'id'> = async (
  service,
  { caller, params: { id } },
) => {
  accepted(await askOwner(service, id, (owner) => owner.readClip(caller.accountId, id)));
  const days = await service.views.read(id);
  return json({
    clip_id: id,
    since: dateOf(keptDays(service.now()).first),
    total: days.reduce((sum, { views }) => sum + views, 0),
    days: days.map(({ day, views }) => ({ date: dateOf(day), views })),
  });
};

function dateOf(day: number): string {
  return isoTime(day * DAY_MS).slice(0, 10);
}
