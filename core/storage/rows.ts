import { asc, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as z from 'zod';
import type { ReadAs } from '#domain/shape.ts';

/** Returns `column IN (…)` with one bound variable for all values: D1 allows 100 in a statement. */
export function isOneOf(column: SQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Where a row is in an index over one column: its value and, among equals, the number of its row. */
export const PlaceShape = z.object({
  at: z.number(),
  row: z.number(),
});
export type Place = ReadAs<typeof PlaceShape>;

/** The parts of a query that reads a table page by page, in the order of an index over one column. */
interface PlaceBy {
  readonly columns: { readonly at: SQL<number>; readonly row: SQL<number> };
  readonly order: readonly [SQL, SQL];
  behind(after: Place | undefined): SQL | undefined;
}

export function placeBy(table: SQLiteTable, column: SQLiteColumn): PlaceBy {
  const row = sql<number>`${table}.rowid`;
  return {
    columns: { at: sql<number>`${column}`, row },
    order: [asc(column), row],
    behind: (after: Place | undefined) => after && sql`(${column}, ${row}) > (${after.at}, ${after.row})`,
  };
}
