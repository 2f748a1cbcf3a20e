import { DAY_MS, isoDate } from '#domain/job/metering.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { Usage, UsageQuery, ViewingChanges, ViewingView, viewingView } from '#protocol/account/usage.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { findViewing, updateViewing } from '#storage/account/accounts.ts';
import { sumUsage } from '#storage/account/usage.ts';
import { scheduleRepublishing } from '#storage/operate/upkeep.ts';

const HOUR_MS = 3_600_000;

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

export const getViewing = operation({
  route: 'GET /api/viewing',
  scope: 'account:read',
  answers: { 200: ViewingView },
  handler: async ({ database }, { caller, reply }) =>
    reply(200, viewingView(await findViewing(database, caller.accountId))),
});

export const changeViewing = operation({
  route: 'PATCH /api/viewing',
  scope: 'account:manage',
  body: ViewingChanges,
  answers: { 200: ViewingView },
  handler: async ({ database, settings, now }, { caller, body, reply }) => {
    const { viewing_changes: most } = settings.limits;
    const { embed_sites: embedSites, show_views: showsViews, show_more: showsMore, hide_names } = await body();
    const changes = { embedSites, showsViews, showsMore, hidesNames: hide_names };
    const use = { owner: caller.accountId, name: 'viewing_changes', at: now(), amount: 1, most } as const;
    const viewing = await updateViewing(database, caller.accountId, changes, [use]);
    if (!viewing) {
      throw rateLimited({ name: 'viewing-changes', limit: most, windowMs: HOUR_MS }, HOUR_MS - (now() % HOUR_MS));
    }
    await scheduleRepublishing(database, caller.accountId, now());
    return reply(200, viewingView(viewing));
  },
});

export const words = (): Words => ({
  getUsage: {
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
  getViewing: {
    summary: 'Read how your clips are shown',
    description:
      'Returns the settings for pages of clips. The defaults: any site may embed clips, pages show no views and link to no other clips, and clips show the names of players.',
    answers: {
      200: answer('The settings for pages of clips.', {
        embed_sites: null,
        show_views: false,
        show_more: false,
        hide_names: false,
      }),
    },
  },
  changeViewing: {
    summary: 'Change how your clips are shown',
    description:
      '`embed_sites` and the others apply to new clips at once and to existing clips within some minutes. `hide_names` applies to new requests within 30 seconds. Browsers obey `embed_sites`; other programs can ignore it, and everybody who can watch a clip can copy it. At most 30 changes an hour.',
    body: { examples: only({ embed_sites: ['example.com', '*.example.com'] }) },
    answers: {
      200: answer('The settings after the change.', {
        embed_sites: ['example.com', '*.example.com'],
        show_views: false,
        show_more: false,
        hide_names: false,
      }),
    },
  },
});
