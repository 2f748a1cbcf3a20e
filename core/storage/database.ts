import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { isDatabaseName, PRIMARY } from '#domain/database-names.ts';

export type Database = DrizzleD1Database;

/**
 * The databases that are bound: one for accounts, keys, hosts and jobs, and maybe more for jobs, clips, assets and
 * usage of the accounts that name them. See docs/decisions/021-several-databases.md.
 */
export interface Databases {
  /** Of accounts, keys and hosts. */
  readonly primary: Database;
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
    primary: drizzle(find(PRIMARY)),
    names: [...bound.keys()],
    of: (name) => drizzle(find(name)),
    // A session has what queries need of a database: `prepare` and `batch`.
    replicaOf: (name) => drizzle(find(name).withSession('first-unconstrained') as unknown as D1Database),
  };
}

/**
 * A page of what all databases have, in the order of ids, one database after the other, behind a cursor of this
 * function's own; from the first on where it is none. `next` leads to the next page, and is undefined after the last.
 */
export async function pageAcross<T extends { readonly id: string }>(
  { names, of }: Databases,
  cursor: string,
  limit: number,
  select: (db: Database, after: string, limit: number) => Promise<T[]>,
): Promise<{ readonly page: readonly T[]; readonly next: string | undefined }> {
  const sorted = names.toSorted();
  const [place = '', last = ''] = cursor.split(' ');
  const [name = '', after = ''] = sorted.includes(place) ? [place, last] : sorted.slice(0, 1);
  const page = await select(of(name), after, limit);
  return { page, next: page.length < limit ? sorted[sorted.indexOf(name) + 1] : `${name} ${page.at(-1)?.id}` };
}
