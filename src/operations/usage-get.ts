import { DAY_MS, isoDate } from '#domain/metering.ts';
import { isoTime } from '#protocol/job-view.ts';
import { Usage, UsageQuery } from '#protocol/lists.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { sumUsage } from '#storage/usage.ts';

/** Sums whole days (UTC). The answer has the range. */
export const getUsage = operation({
  route: 'GET /api/usage',
  scope: 'account:read',
  query: UsageQuery,
  answers: { 200: Usage },
  handler: async ({ replica, now }, { caller, query, reply }) => {
    const { from = 0, to: asked, include } = query();
    // A client whose clock is ahead gets an empty range.
    const to = asked ?? Math.max(from, now());
    const lines = await sumUsage(replica(), caller.accountId, from, to, include);
    return reply(200, {
      from: isoTime(Math.floor(from / DAY_MS) * DAY_MS),
      to: isoTime(asked === undefined ? to : Math.ceil(to / DAY_MS) * DAY_MS),
      usage: lines.map(({ seconds, renderer, day, ...line }) => ({
        ...(day === undefined ? {} : { day: isoDate(day) }),
        ...line,
        ...(renderer === undefined ? {} : { renderer: renderer || null }),
        rendered_seconds: seconds,
      })),
    });
  },
});

export const words = (): Words => ({
  getUsage: {
    tag: 'Usage',
    summary: 'Count rendered seconds',
    description:
      'Seconds of clip by tier, resolution and frame rate. Deleted clips and each successful run count; days are rounded to milliseconds. `include=renderer,day` splits lines by renderer and by day.',
    answers: {
      200: answer('The sums of seconds.', {
        from: '2026-05-01T00:00:00.000Z',
        to: '2026-06-01T00:00:00.000Z',
        usage: [
          { tier: 'metered', resolution: 1080, fps: 60, rendered_seconds: 5482.25 },
          { tier: 'reserved', resolution: 1440, fps: 60, rendered_seconds: 912.5 },
        ],
      }),
    },
  },
});
