import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from '#domain/reason.ts';

/** SQLITE_BUSY: somebody holds the lock. */
const BUSY = 5;

/**
 * Takes a lock that belongs to this process, as a file; null while another process has it. The operating system keeps
 * it, through SQLite, so it is taken by one of many who try at once, is gone the moment its owner is, however that
 * ended, and no process of a later date can be taken for the owner. The file stays: to remove it would let two in.
 *
 * @throws an Error in words for a person, where the folder cannot be written or its file system knows no locks.
 */
export function takeLock(path: string): { release(): void } | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written, so no journal is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return null;
    const reason = reasonOf(error);
    throw new Error(`The file ${path} cannot be locked: ${reason}.`);
  }
  const held = database;
  return { release: () => held.close() };
}
