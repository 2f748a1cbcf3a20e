import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

export type Database = DrizzleD1Database;

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
