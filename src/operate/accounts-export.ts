import * as z from 'zod';
import { isoDate } from '#domain/job/metering.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import { clipDetail } from '#protocol/clip/clip-view.ts';
import { ACCOUNT_ID } from '#protocol/examples/client.ts';
import { MADE } from '#protocol/examples/operator.ts';
import * as field from '#protocol/lib/fields.ts';
import { formatKey, KeyCursor, NOT_A_CURSOR, next_cursor } from '#protocol/lib/lists.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import type { JobStory } from '#rpc/render-job.ts';
import { mapFew } from '#service/lib/each-of.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { EXPORTED, type ExportedRow, selectExported, selectRuns } from '#storage/account/account-export.ts';
import { findAccount } from '#storage/account/accounts.ts';
import { storyView } from './job-story.ts';

/** Rows of a page. */
const ROWS = 500;
/** Jobs of a page, with up to two calls of an object and one of the views each. */
const JOBS = 50;

const ExportQuery = z.strictObject({ cursor: KeyCursor.prefault('accounts') });

const ExportPage = z
  .object({
    records: z.array(z.looseObject({ table: field.text('The table that the record comes from.') })),
    next_cursor,
  })
  .meta({ id: 'AccountExport', description: 'A page of what is stored of an account.' });

/** A page is one of one table, because each job costs calls of its object and a request may make only so many. */
export const exportAccount = operation({
  route: 'GET /admin/accounts/:id/export',
  scope: 'operator:admin',
  query: ExportQuery,
  answers: { 200: ExportPage },
  handler: async (service, { params: { id }, query, reply }) => {
    const { database } = service;
    const [first, ...after] = query().cursor;
    const name = String(first);
    const names = Object.keys(EXPORTED);
    const table = names.includes(name) ? EXPORTED[name] : undefined;
    if (!table || ![0, table.order.length].includes(after.length)) {
      throw invalidRequest([{ path: 'cursor', message: NOT_A_CURSOR }]);
    }
    if (!(await findAccount(database, id))) throw notFound();
    const limit = name === 'jobs' ? JOBS : ROWS;
    const rows = await selectExported(database, table, id, after, limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return reply(200, {
      records: name === 'jobs' ? await jobRecords(service, id, rows) : rows.map((row) => recordOf(name, row)),
      next_cursor: last
        ? formatKey([name, ...table.order.map((column) => last[column] as string | number)])
        : (names[names.indexOf(name) + 1] ?? null),
    });
  },
});

export const words = (): Words => ({
  exportAccount: {
    summary: 'Export an account',
    description:
      'All that is stored of an account, by pages: go on with `next_cursor` until it is null. The records are the account, what it uses of its limits, its keys, webhook secrets, assets, uploads and usage, as they are stored, but for secrets; then its jobs with requests, attempts and webhooks, but for the header, and with their clips, or what an inspection found; with them their metered runs and the views of their clips by day. The audit log and reports of viewers are left out. The audit log notes the first page. `GET /admin/accounts/:id/files/:file` has assets and demos.',
    answers: {
      200: answer('A page of the export.', {
        records: [{ table: 'accounts', id: ACCOUNT_ID, name: 'Example', provisioned_slots: 4, created_at: MADE }],
        next_cursor: 'budgets',
      }),
    },
  },
});

/** Returns a row as a record: times and days are formatted. */
function recordOf(table: string, row: ExportedRow) {
  const fields = Object.entries(row).map(([name, value]) => {
    if (typeof value !== 'number') return [name, value];
    return [name, name.endsWith('_at') ? isoTime(value) : name === 'day' ? isoDate(value) : value];
  });
  return { table, ...Object.fromEntries(fields) };
}

type ExportService = Pick<Service, 'database' | 'job' | 'views' | 'settings'>;

async function jobRecords(service: ExportService, accountId: string, rows: readonly ExportedRow[]) {
  const ids = rows.map(({ id }) => String(id));
  const records = await mapFew(rows, (row) => recordsOfJob(service, accountId, row));
  const runs = await selectRuns(service.database, ids);
  return [...records.flat(), ...runs.map((run) => recordOf('usage', run))];
}

/** Reads a job from its object. A job that its object lacks is its row of the index. */
async function recordsOfJob({ job, views, settings }: ExportService, accountId: string, row: ExportedRow) {
  const id = String(row.id);
  const story = (await job(id).story()) as JobStory | null;
  if (story === null) return [recordOf('jobs', row)];
  const { clip, clipId } = story.job;
  // Why it waits now is not stored, and names hosts of the operator.
  const { queue: _, ...view } = storyView(story, () => null);
  const record = {
    table: 'jobs',
    id,
    mode: row.mode,
    ...view,
    clip: clip && {
      ...view.clip,
      ...clipDetail(clipId, id, clip, ['urls', 'expiry', 'renderer'], settings),
      facts: clip.facts ?? null,
    },
  };
  if (row.mode === 'inspect') {
    const read = await job(id).readDemo(accountId);
    return [{ ...record, demo: read.ok ? read.value : null }];
  }
  const days = clip ? await views.read(clipId) : [];
  return [record, ...days.map((day) => recordOf('clip_views', { clip_id: clipId, ...day }))];
}
