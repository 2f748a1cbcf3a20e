import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

export type Database = DrizzleD1Database;

/**
 * The nearest copy, which may be behind the database (read replication). Without replicas it is the database itself.
 */
export function createReplica(d1: D1Database): Database {
  // A session has what queries need of a database: `prepare` and `batch`.
  return drizzle(d1.withSession('first-unconstrained') as unknown as D1Database);
}

export function createDatabase(d1: D1Database): Database {
  return drizzle(d1);
}
