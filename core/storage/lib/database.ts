import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { SQLiteColumn, SQLiteSelect, SQLiteTable } from 'drizzle-orm/sqlite-core';
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
export function isBehind(columns: readonly (SQLiteColumn | SQL)[], key: RowKey, sign = sql`>`): SQL {
  const list = (parts: RowKey | typeof columns) =>
    sql.join(
      [...parts].map((part) => sql`${part}`),
      sql`, `,
    );
  return sql`(${list(columns)}) ${sign} (${list(key)})`;
}

/** A page of rows. */
interface PageTerms<Name extends string> {
  readonly where?: SQL | undefined;
  /** The last row of the page before. */
  readonly after: Readonly<Record<Name, string | number>> | undefined;
  readonly limit: number;
  readonly isDescending?: boolean;
}

/** Makes a query read a page, in an order: columns by the names that a row has them under. An index has the order. */
export function inPages<Query extends SQLiteSelect, Name extends string>(
  query: Query,
  order: Readonly<Record<Name, SQLiteColumn | SQL>>,
  { where, after, limit, isDescending = false }: PageTerms<NoInfer<Name>>,
): Query {
  const names = Object.keys(order) as Name[];
  const columns = names.map((name) => order[name]);
  const key = after && names.map((name) => after[name]);
  query
    .where(and(where, key && isBehind(columns, key, isDescending ? sql`<` : sql`>`)))
    .orderBy(...columns.map((column) => (isDescending ? desc(column) : asc(column))))
    .limit(limit);
  return query;
}

/** A position in an index over one column: the value and, among equals, the row number. */
export const RowCursorShape = z.object({
  at: z.number(),
  row: z.number(),
});
export type RowCursor = ReadAs<typeof RowCursorShape>;

/** Returns the columns of such a position, which are also the order of the pages. */
export function placesIn(table: SQLiteTable, column: SQLiteColumn): { at: SQL<number>; row: SQL<number> } {
  return { at: sql<number>`${column}`, row: sql<number>`${table}.rowid` };
}

/** A table of tokens. */
type Revocable = SQLiteTable & { readonly id: SQLiteColumn; readonly revokedAt: SQLiteColumn };

/** Revokes a row. A repeated call changes nothing. Returns false if there is none. */
export async function revokeRow(db: Database, table: Revocable, id: string, now: number): Promise<boolean> {
  await db.run(sql`UPDATE ${table} SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL`);
  return (await db.all(sql`SELECT id FROM ${table} WHERE id = ${id}`)).length > 0;
}
