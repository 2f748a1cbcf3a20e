import * as z from 'zod';
import * as field from './fields.ts';

/** Queries and responses of `GET /api/jobs`, `GET /api/clips` and `GET /api/usage`. */

const DEFAULT_LIMIT = 50;

export const MAX_LIMIT = 200;

export const wholeNumber = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number')
  .transform(Number);

export const time = field.sentTime.transform((text) => Date.parse(text));

export const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** The end of a page: the creation time in milliseconds and the id of its last row. Opaque to clients. */
const ListCursor = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f-]{36}$/, 'must be the next_cursor of an earlier page')
  .transform((text) => {
    const [createdAt = '', id = ''] = text.split('_');
    return { createdAt: Number(createdAt), id };
  });

export type ListCursor = z.output<typeof ListCursor>;

/** Whether a span of time ends after it begins. Any other is a mistake of the client. */
export function isWindow({ created_from: from, created_to: to }: Window): boolean {
  return from === undefined || to === undefined || from <= to;
}

interface Window {
  readonly created_from?: number | undefined;
  readonly created_to?: number | undefined;
}

export const NO_WINDOW = { path: ['created_from'], error: 'must not be after created_to' };

/** Returns the size of a page. */
export function limitOf(preset: number): z.ZodType<number, string | undefined> {
  return wholeNumber
    .pipe(z.int().min(1, 'must be at least 1').max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`))
    .default(preset)
    .meta({
      description: 'Maximum number of items to return.',
      // For the API document: the query is text, but means a number.
      override: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: preset },
    });
}

/** The query of every list: a window of creation times, and a page of it. */
export const page = {
  created_from: time.optional().meta({ description: 'Return only items created at this time or later.' }),
  created_to: time.optional().meta({ description: 'Return only items created before this time.' }),
  limit: limitOf(DEFAULT_LIMIT),
  cursor: ListCursor.optional().meta({ description: 'The `next_cursor` of the previous page.' }),
};

/** Null on the last page. */
export const next_cursor = z
  .string()
  .nullable()
  .meta({ description: 'Value of `cursor` for the next page. Null on the last page.' });

/** Returns the cursor that continues after a row. */
export function formatCursor({ createdAt, id }: ListCursor): string {
  return `${createdAt}_${id}`;
}

/** Returns a page and its next cursor. `rows` has one row more than the page if there are more. */
export function pageOf<Row extends ListCursor>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: last && found.length > limit ? formatCursor(last) : null };
}

/** The query of a list of everything. */
export const AdminListQuery = z.strictObject({ limit: limitOf(MAX_LIMIT), cursor: page.cursor });

/** The values of the last row of a page, in the columns of its order. */
export type RowKey = readonly (string | number)[];

export const NOT_A_CURSOR = 'must be the next_cursor of an earlier page';

/** A cursor with the key of a row. Opaque to operators. */
export const KeyCursor = z
  .string()
  .regex(/^[\w:-]*$/, NOT_A_CURSOR)
  .transform((text): RowKey => text.split(':').map((value) => (/^\d+$/.test(value) ? Number(value) : value)))
  .meta({ description: 'The `next_cursor` of the previous page.' });

export const formatKey = (key: RowKey): string => key.join(':');
