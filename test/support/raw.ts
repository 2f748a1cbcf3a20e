import { runInDurableObject } from 'cloudflare:test';
import { bindings } from './service.ts';

/** Reads everything that is stored, without the readers of the service. */

/** Returns every row of the index as text, without some tables. */
export async function indexText(without: readonly string[] = []): Promise<string> {
  const tables = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_cf\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const names = tables.results.map(({ name }) => name).filter((name) => !without.includes(name));
  const rows = await Promise.all(names.map((name) => bindings.DB.prepare(`SELECT * FROM "${name}"`).all()));
  return rows.map(({ results }, i) => `${names[i]} ${JSON.stringify(results)}`).join('\n');
}

/** Returns every row of a job's object as text; empty if it has no table. */
export function objectText(jobId: string): Promise<string> {
  return runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => JSON.stringify(sql.exec(`SELECT * FROM "${name}"`).toArray()))
      .join('\n'),
  );
}

/** Returns the keys of all files in both buckets. */
export async function storedKeys(): Promise<string[]> {
  const lists = await Promise.all([bindings.CLIPS, bindings.ASSETS].map((bucket) => bucket.list()));
  return lists.flatMap(({ objects }) => objects.map(({ key }) => key));
}
