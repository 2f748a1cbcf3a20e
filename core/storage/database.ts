import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { isDatabaseName, PRIMARY } from '#domain/database-names.ts';

export type Database = DrizzleD1Database;

/**
 * The bound databases: the primary one for accounts, keys, hosts and jobs, and optional ones for jobs, clips, assets
 * and usage of the accounts that name them. See docs/decisions/021-several-databases.md.
 */
export interface Databases {
  /** Accounts, keys and hosts. */
  readonly primary: Database;
  readonly names: readonly string[];
  /** Throws if no database of this name is bound. */
  of(name: string): Database;
  /**
   * Returns the nearest replica in a session of its own, for lists and sums. It may lag behind the database. Without
   * replicas it is the database itself.
   */
  replicaOf(name: string): Database;
}

/** Finds the databases among the bindings of a Worker or an object. */
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
    // A session has the methods that queries use: `prepare` and `batch`.
    replicaOf: (name) => drizzle(find(name).withSession('first-unconstrained') as unknown as D1Database),
  };
}

/**
 * Reads a page over all databases, one after the other, each in the order of ids. An unknown cursor starts at the
 * beginning. `next` is the cursor of the next page, undefined after the last.
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
