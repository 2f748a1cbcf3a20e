import { asc, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as z from 'zod';
import type { ReadAs } from '#domain/lib/types.ts';
import type { RowKey } from '#protocol/lib/key-cursor.ts';

/** Returns `column IN (…)` with one bound variable for all values: D1 allows 100 in a statement. */
export function isOneOf(column: SQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Returns the condition that a row comes behind a key, in the order of some columns. */
export function isBehind(columns: readonly (SQLiteColumn | SQL)[], key: RowKey): SQL {
  const list = (parts: RowKey | typeof columns) =>
    sql.join(
      [...parts].map((part) => sql`${part}`),
      sql`, `,
    );
  return sql`(${list(columns)}) > (${list(key)})`;
}

/** A position in an index over one column: the value and, among equals, the row number. */
export const RowCursorShape = z.object({
  at: z.number(),
  row: z.number(),
});
export type RowCursor = ReadAs<typeof RowCursorShape>;

/** Parts of a query that reads a table by pages, in the order of an index over one column. */
interface PagedBy {
  readonly columns: { readonly at: SQL<number>; readonly row: SQL<number> };
  readonly order: readonly [SQL, SQL];
  behind(after: RowCursor | undefined): SQL | undefined;
}

export function pagedBy(table: SQLiteTable, column: SQLiteColumn): PagedBy {
  const row = sql<number>`${table}.rowid`;
  return {
    columns: { at: sql<number>`${column}`, row },
    order: [asc(column), row],
    behind: (after: RowCursor | undefined) => after && sql`(${column}, ${row}) > (${after.at}, ${after.row})`,
  };
}
