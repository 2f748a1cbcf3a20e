import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { HOME, isDatabaseName } from '../domain/home-database.ts';

export type Database = DrizzleD1Database;

/**
 * The databases that are bound: one for accounts, keys, hosts and jobs, and maybe more for jobs, clips, assets and
 * usage of the accounts that name them. See docs/decisions/021-several-databases.md.
 */
export interface Databases {
  /** Of accounts, keys and hosts. */
  readonly home: Database;
  readonly names: readonly string[];
  /** Throws where none of this name is bound. */
  of(name: string): Database;
  /**
   * The nearest copy, in a session of its own, which may be behind the database (read replication): for lists and sums.
   * Without replicas it is the database itself.
   */
  replicaOf(name: string): Database;
}

/** Those among the bindings of a Worker or an object. */
export function createDatabases(env: object): Databases {
  const bound = new Map(Object.entries(env).filter(([name]) => isDatabaseName(name)) as [string, D1Database][]);
  const find = (name: string): D1Database => {
    const d1 = bound.get(name);
    if (!d1) throw new Error(`no database is bound as ${name}`);
    return d1;
  };
  return {
    home: drizzle(find(HOME)),
    names: [...bound.keys()],
    of: (name) => drizzle(find(name)),
    // A session has what queries need of a database: `prepare` and `batch`.
    replicaOf: (name) => drizzle(find(name).withSession('first-unconstrained') as unknown as D1Database),
  };
}
