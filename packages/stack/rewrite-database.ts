import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from '#domain/reason.ts';

/**
 * Rewrites a SQLite file together with its log, without deleted rows, after the statements `first`. The runtime leaves
 * deleted rows readable in free pages and in the log, and this cannot be changed while it runs. No other process may
 * use the file.
 *
 * @throws an Error if the file is broken or the disk is full; then the file is unchanged.
 */
export function rewriteDatabase(path: string, first = ''): void {
  checkDatabase(path, (database) => database.exec(`${first}VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`));
}

/**
 * Checks a SQLite file that no other process uses, then calls `use`.
 * @throws an Error if the file is broken.
 */
export function checkDatabase(path: string, use: (database: DatabaseSync) => void = () => {}): void {
  const database = new DatabaseSync(path);
  try {
    const [{ quick_check: verdict } = {}] = database.prepare('PRAGMA quick_check').all();
    if (verdict !== 'ok') throw new Error(`${path} is broken: ${verdict}`);
    use(database);
  } finally {
    database.close();
  }
}

/** Rewrites the index of a folder that no runtime uses. Not the objects: each has a file, so it would take minutes. */
export async function rewriteIndex(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'd1');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const path of files.filter((name) => name.endsWith('.sqlite'))) {
    try {
      rewriteDatabase(join(folder, path));
    } catch (error) {
      process.stderr.write(`Deleted rows may still be in the index: ${reasonOf(error)}\n`);
    }
  }
}
