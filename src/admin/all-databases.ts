import { databasesOf } from '#domain/database-names.ts';
import type { Service } from '#service/service.ts';
import { selectJobSums } from '#storage/account-sums.ts';
import { findJobRow } from '#storage/all-jobs.ts';
import type { Database } from '#storage/database.ts';
import type { JobRow } from '#storage/schema.ts';
import { mapFew } from '../each-of.ts';

/** Queries all databases concurrently. */
export function ofEach<T>({ names, of }: Service['databases'], ask: (database: Database) => Promise<T>): Promise<T[]> {
  return Promise.all(names.map((name) => ask(of(name))));
}

/** The size of a database. */
export interface Growth {
  readonly name: string;
  readonly bytes: number;
  readonly jobs: number;
}

export function readGrowths({ names, of }: Service['databases']): Promise<Growth[]> {
  return Promise.all(
    names.map(async (name) => {
      const { bytes, accounts } = await selectJobSums(of(name));
      return { name, bytes, jobs: accounts.reduce((sum, { jobs }) => sum + jobs, 0) };
    }),
  );
}

/** Finds the row of a job in the databases; null if none has it. */
export async function findRowOf(
  { databases }: Pick<Service, 'databases'>,
  id: string,
): Promise<Pick<JobRow, 'id' | 'accountId' | 'version'> | null> {
  for (const name of databasesOf(id, databases.names)) {
    const row = await findJobRow(databases.of(name), id);
    if (row) return row;
  }
  return null;
}

/** A position in a list that is ordered by time, then by id. */
export interface CreatedPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** Compares positions, the oldest first. */
export function byAge(a: CreatedPosition, b: CreatedPosition): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Calls objects, a few at a time. Returns answers in the order of `items`; null if a call fails. */
export function askAll<Item, T>(items: readonly Item[], ask: (item: Item) => Promise<T>): Promise<(T | null)[]> {
  return mapFew(items, (item) => ask(item).catch(() => null));
}
