import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { JobStorage } from '#durable-objects/render-job/job-store.ts';

interface StorageHooks {
  readonly alive: () => void;
  readonly beforeCommit: () => void;
  readonly afterCommit: () => void;
  readonly readAlarm: () => number | null;
  readonly writeAlarm: (at: number | null) => void;
}

/**
 * Returns the part of an object's storage that the engine uses: SQL, transactions that include the alarm, and the
 * alarm.
 */
export function sqliteStorage(db: DatabaseSync, hooks: StorageHooks): JobStorage {
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    hooks.alive();
    if (bindings.length === 0 && !/^\s*SELECT/i.test(query)) {
      db.exec(query);
      return cursor([]);
    }
    return cursor(db.prepare(query).all(...bindings));
  };
  const storage = {
    sql: { exec },
    transactionSync<T>(closure: () => T): T {
      hooks.alive();
      const alarmBefore = hooks.readAlarm();
      db.exec('BEGIN');
      let result: T;
      try {
        result = closure();
        hooks.beforeCommit();
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        hooks.writeAlarm(alarmBefore);
        throw error;
      }
      hooks.afterCommit();
      return result;
    },
    // Callers do not await these, so they throw synchronously: a dead object must not continue.
    setAlarm(at: number) {
      hooks.alive();
      hooks.writeAlarm(at);
      return Promise.resolve();
    },
    deleteAlarm() {
      hooks.alive();
      hooks.writeAlarm(null);
      return Promise.resolve();
    },
  };
  return storage as unknown as JobStorage;
}

function cursor(rows: readonly unknown[]) {
  return {
    toArray: () => rows,
    one: () => rows[0],
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}
