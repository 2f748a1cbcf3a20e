import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

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
