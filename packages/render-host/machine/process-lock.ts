import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from '#domain/reason.ts';

/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5;

/**
 * Takes a lock file for this process; returns null while another process has it. The operating system keeps the lock,
 * through SQLite. So only one of many processes gets it, it is released however its owner ends, and no later process
 * can be mistaken for the owner. The file stays, because deleting it would let two processes in.
 *
 * @throws an Error with a text for the operator if the folder is not writable or its file system has no locks.
 */
export function takeLock(path: string): { release(): void } | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Nothing is written, so no journal is needed.
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
