import { asc, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as z from 'zod';
import type { ReadAs } from '#domain/lib/types.ts';
import type { RowKey } from '#protocol/lib/lists.ts';

export type Database = DrizzleD1Database & { readonly $client: D1Database };

/** Opens the database behind a binding. */
export function openDatabase(d1: D1Database): Database {
  return drizzle(d1);
}

/**
 * Opens the nearest replica in a session of its own, for lists and sums. It may lag behind the database. Without
 * replicas it is the database itself.
 */
export function openReplica(d1: D1Database): Database {
  // A session has the methods that queries use: `prepare` and `batch`.
  return drizzle(d1.withSession('first-unconstrained') as unknown as D1Database);
}

/** Opens the same database for work whose statements are counted. `spend` is called before each, and may throw. */
export function openMetered({ $client: d1 }: Database, spend: () => void): Database {
  const prepare = (query: string) => {
    spend();
    return d1.prepare(query);
  };
  const batch: D1Database['batch'] = (statements) => d1.batch(statements);
  return drizzle(Object.create(d1, { prepare: { value: prepare }, batch: { value: batch } }));
}

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
