import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';

/** The folder of this checkout, with a slash at its end. */
export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url).href);

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

/**
 * Migrates the local database. Each migration and its mark are one transaction. The marks are in the table of `wrangler
 * d1 migrations`, so either can continue after the other.
 */
export async function migrate(database: LocalDatabase): Promise<void> {
  await database
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run();
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const files = await migrationFiles();
  for (const { name, text } of files.filter((file) => !applied.has(file.name))) {
    const statements = statementsOf(text);
    const mark = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
    await database.batch([...statements.map((statement) => database.prepare(statement)), mark]);
  }
}

/** Splits a migration into its statements. A statement ends with its line, so a trigger has to be on one line. */
export function statementsOf(text: string): string[] {
  return text.split(/;\n+/).filter((statement) => statement !== '');
}

/** Returns the migrations of this version in order. */
export async function migrationFiles(): Promise<{ readonly name: string; readonly text: string }[]> {
  const folder = join(PROJECT_ROOT, 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}
