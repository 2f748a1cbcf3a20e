import * as z from 'zod';
import { billedSeconds, DAY_MS, DAY_STATES, dayState, isoDate, RUN_KEPT_MS } from '#domain/job/metering.ts';
import { UsageLine } from '#protocol/account/usage.ts';
import { madeWith } from '#protocol/clip/clip-view.ts';
import { ACCOUNT_ID } from '#protocol/examples/client.ts';
import * as field from '#protocol/lib/fields.ts';
import {
  formatKey,
  KeyCursor,
  limitOf,
  MAX_LIMIT,
  NOT_A_CURSOR,
  next_cursor,
  type RowKey,
} from '#protocol/lib/lists.ts';
import { csvRow } from '#protocol/lib/text-formats.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';
import { selectUsageDays } from '#storage/account/usage.ts';

/** Lines that one statement of a CSV file reads. */
const CSV_PAGE = 5000;

const dayQuery = z.iso
  .date('must be a day as in 2026-01-31')
  .transform((text) => Date.parse(text) / DAY_MS)
  .optional();
const AllUsageQuery = z
  .strictObject({
    from: dayQuery.describe('The first day (UTC).'),
    to: dayQuery.describe('The day (UTC) after the last.'),
    account: z.uuid('must be a UUID').optional().describe('Return only lines of this account, which may be erased.'),
    format: z
      .enum(['json', 'csv'], 'must be json or csv')
      .default('json')
      .describe('The format of the answer. `csv` has all lines at once, and no pages.'),
    limit: limitOf(MAX_LIMIT),
    cursor: KeyCursor.refine(({ length }) => length === 6, NOT_A_CURSOR).optional(),
  })
  .refine(({ from = 0, to = from }) => from <= to, { path: ['from'], error: 'must not be after to' });

const AccountUsage = z
  .object({
    day: z.iso.date().describe('The day (UTC) on which the clips were finished.'),
    account_id: field.uuid('Id of the account.'),
    account_name: field.textOrNull('The name of the account. Null once it is erased.'),
    ...UsageLine.omit({ day: true }).shape,
    renderer: madeWith,
    runs: field.integer('Number of runs that made a clip. Each re-run of a job counts.'),
    state: z
      .enum(DAY_STATES)
      .describe(
        'The state of the line. `open`: it may grow. `settled`, two days after its day: only a repair after a loss changes it. `final`, after 30 days: nothing changes it.',
      ),
  })
  .meta({ id: 'AccountUsage', description: 'The seconds of one kind that an account rendered on one day.' });
const AllUsage = z
  .object({
    usage: z.array(AccountUsage),
    final_before: z.iso.date().describe('The first day that is not final. Start the next bill with this day.'),
    next_cursor,
  })
  .meta({ id: 'AllUsage', description: 'A page of what accounts rendered, oldest day first.' });

type Sum = Awaited<ReturnType<typeof selectUsageDays>>[number];

export const listUsage = operation({
  route: 'GET /admin/usage',
  scope: 'operator:read',
  query: AllUsageQuery,
  answers: { 200: AllUsage },
  handler: async ({ database, now }, { query, reply }) => {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, account, format, limit, cursor } = query();
    const read = (after: RowKey | undefined, most: number) =>
      selectUsageDays(database, { from, to, account, after, limit: most });
    if (format === 'csv') {
      const rows = csvRows((after) => read(after ?? cursor, CSV_PAGE), now());
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await rows.next();
          if (done) controller.close();
          else controller.enqueue(new TextEncoder().encode(value));
        },
      });
      return new Response(body, { headers: CSV_HEADERS });
    }
    const found = await read(cursor, limit);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return reply(200, {
      usage: found.slice(0, limit).map((sum) => lineOf(sum, now())),
      final_before: isoDate(Math.floor((now() - RUN_KEPT_MS) / DAY_MS)),
      next_cursor: last ? formatKey(keyOf(last)) : null,
    });
  },
});

const CSV_HEADERS = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="usage.csv"',
  'Cache-Control': 'no-store',
};

/** Yields all lines, a page in memory at a time. If a page cannot be read, the file is cut off: its download fails. */
async function* csvRows(read: (after: RowKey | undefined) => Promise<Sum[]>, now: number): AsyncGenerator<string> {
  yield csvRow(Object.keys(AccountUsage.shape));
  for (let found = await read(undefined); ; ) {
    const page = found.slice(0, CSV_PAGE);
    yield page.map((sum) => csvRow(Object.values(lineOf(sum, now)))).join('');
    const last = page.at(-1);
    if (!last || found.length === page.length) return;
    found = await read(keyOf(last));
  }
}

function keyOf({ day, accountId, tier, resolution, fps, renderer }: Sum): RowKey {
  return [day, accountId, tier, resolution, fps, renderer];
}

/** The order of the fields is that of CSV. */
function lineOf(sum: Sum, now: number): z.infer<typeof AccountUsage> {
  const { day, accountId: account_id, name: account_name, tier, resolution, fps, renderer, seconds, runs } = sum;
  return {
    day: isoDate(day),
    account_id,
    account_name,
    tier,
    resolution,
    fps,
    renderer: renderer || null,
    rendered_seconds: billedSeconds(seconds),
    runs,
    state: dayState(day, now),
  };
}

export const words = (): Words => ({
  listUsage: {
    summary: 'Bill what accounts rendered',
    description:
      'One line for each day, account, tier, resolution, frame rate and renderer, in this order. These six fields are the key of a line, and its numbers are sums: a meter that asks again replaces the line. The same cursor always continues after the same line. For the next bill, ask from the last `final_before`. Each run counts the length of its clip, not rounded; the sum of a line is rounded to thousandths of a second; longer sums, such as those of `GET /api/usage`, add lines. A clip whose length could not be read counts 0. Lines of erased accounts stay, without a name. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe.',
    answers: {
      200: {
        description: 'A page of lines, or all lines as CSV.',
        examples: only({ usage: [LINE], final_before: '2026-04-04', next_cursor: null }),
        otherType: 'text/csv',
      },
    },
  },
});

const LINE = {
  day: '2026-05-04',
  account_id: ACCOUNT_ID,
  account_name: 'Example',
  tier: 'metered',
  resolution: 1080,
  fps: 60,
  renderer: 'cs2',
  rendered_seconds: 5482.25,
  runs: 371,
  state: 'open',
};
