import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { isoTime } from '#protocol/job-view.ts';
import { UsageQuery } from '#protocol/lists.ts';
import { sumUsage } from '#storage/usage.ts';
import type { ApiHandler } from './api-handler.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * `GET /api/usage`: seconds rendered, also of clips that are gone. Re-runs count each time. It counts whole days (UTC),
 * of which sums are kept: the answer says from when to when.
 */
export const getUsage: ApiHandler<'databases' | 'now'> = async ({ databases, now }, { caller, url }) => {
  const { from = 0, ...query } = parseQuery(url.searchParams, UsageQuery);
  // A clock that is ahead of ours asks for nothing, and gets that.
  const to = query.to ?? Math.max(from, now());
  const lines = await sumUsage(databases.replicaOf(caller.database), caller.accountId, from, to);
  return json({
    from: isoTime(Math.floor(from / DAY) * DAY),
    to: isoTime(query.to === undefined ? to : Math.ceil(to / DAY) * DAY),
    usage: lines.map(({ seconds, ...line }) => ({ ...line, rendered_seconds: seconds })),
  });
};
