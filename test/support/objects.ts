import { runInDurableObject } from 'cloudflare:test';
import { expect } from 'vitest';
import { dispatcherOf } from '#service/lib/service.ts';
import { bindings } from './service.ts';

/** Written rows, with entries of indexes. Setting an alarm of an object is billed as a row. */
export interface WrittenRows {
  /** Of D1, with those of triggers, by the Worker and by objects. */
  readonly ofIndex: () => number;
  readonly ofDispatcher: () => number;
  readonly ofJobs: () => number;
  reset(): void;
}

interface Answered {
  readonly meta?: { readonly rows_written?: number };
}

type Written = Pick<SqlStorageCursor<never>, 'rowsWritten'>;

/** Starts to count what all objects of this file write. Call it once. */
export async function countRows(): Promise<WrittenRows> {
  const written: { readonly by: object; readonly cursor: Written }[] = [];
  const dispatcher = await runInDurableObject(dispatcherOf(bindings.DISPATCHER), (_, { storage }) => {
    const sqls = Object.getPrototypeOf(storage.sql) as SqlStorage;
    const exec: (...args: never[]) => Written = sqls.exec;
    Object.defineProperty(sqls, 'exec', {
      value(this: SqlStorage, ...args: never[]) {
        const cursor = exec.apply(this, args);
        // A statement that returns rows writes while they are read, so it is counted at the end.
        written.push({ by: this, cursor });
        return cursor;
      },
    });
    const storages = Object.getPrototypeOf(storage) as DurableObjectStorage;
    const setAlarm: (...args: never[]) => Promise<void> = storages.setAlarm;
    Object.defineProperty(storages, 'setAlarm', {
      value(this: DurableObjectStorage, ...args: never[]) {
        written.push({ by: this.sql, cursor: { rowsWritten: 1 } });
        return setAlarm.apply(this, args);
      },
    });
    return storage.sql;
  });
  let ofIndex = 0;
  // The objects of a file are in its isolate, so they share the runtime's class of a connection.
  const session = Object.getPrototypeOf(bindings.DB.withSession());
  const sendOrThrow: (...args: never[]) => Promise<Answered | Answered[]> = session._sendOrThrow;
  Object.defineProperty(session, '_sendOrThrow', {
    async value(this: unknown, ...args: never[]) {
      const answer = await sendOrThrow.apply(this, args);
      for (const { meta } of [answer].flat()) ofIndex += meta?.rows_written ?? 0;
      return answer;
    },
  });
  const sum = (isDispatchers: boolean) =>
    written
      .filter(({ by }) => (by === dispatcher) === isDispatchers)
      .reduce((total, { cursor }) => total + cursor.rowsWritten, 0);
  return {
    ofIndex: () => ofIndex,
    ofDispatcher: () => sum(true),
    ofJobs: () => sum(false),
    reset: () => {
      written.length = 0;
      ofIndex = 0;
    },
  };
}

/** Returns the names of an object's tables, without those of the runtime. */
function tablesOf(sql: SqlStorage): string[] {
  const found = sql.exec<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
  );
  return [...found].map(({ name }) => name);
}

/**
 * Replaces point-in-time recovery, which the local runtime lacks. Every bookmark is the present. It restores all tables
 * at once; the platform does so when the object restarts.
 */
export async function keepEarlierState(jobId: string): Promise<void> {
  await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => {
    const { sql } = storage;
    const then = tablesOf(sql).map((name) => ({ name, rows: [...sql.exec(`SELECT * FROM ${name}`).raw()] }));
    const restore = (mark: string) => {
      if (mark !== 'the state of then') throw new Error('there is no such bookmark');
      for (const { name, rows } of then) {
        sql.exec(`DELETE FROM ${name}`);
        for (const row of rows) sql.exec(`INSERT INTO ${name} VALUES (${row.map(() => '?')})`, ...row);
      }
      return 'leads back';
    };
    Object.defineProperties(storage, {
      getBookmarkForTime: { value: async () => 'the state of then', configurable: true },
      onNextSessionRestoreBookmark: { value: async (mark: string) => restore(mark), configurable: true },
    });
  });
}

/** Counts the running work of each object of this isolate, by its storage, and that of all together. */
const underWay = new WeakMap<DurableObjectStorage, number>();
let allUnderWay = 0;

/** Starts to count. Call it once, before the objects work. */
export async function watchWork(): Promise<void> {
  await runInDurableObject(dispatcherOf(bindings.DISPATCHER), (_, state) => {
    const states = Object.getPrototypeOf(state) as DurableObjectState;
    const { waitUntil } = states;
    Object.defineProperty(states, 'waitUntil', {
      value(this: DurableObjectState, work: Promise<unknown>) {
        const { storage } = this;
        const add = (n: number) => {
          underWay.set(storage, (underWay.get(storage) ?? 0) + n);
          allUnderWay += n;
        };
        add(1);
        waitUntil.call(
          this,
          work.finally(() => add(-1)),
        );
      },
    });
  });
}

/** Returns whether an object has running work. */
export function isUnderWay(storage: DurableObjectStorage): boolean {
  return (underWay.get(storage) ?? 0) > 0;
}

/** Resolves when no object has running work: queue, index and runs of rules then have every change so far. */
export const allAtRest = () => expect.poll(() => allUnderWay, { interval: 1 }).toBe(0);

// Readers of everything that is stored, without those of the service.

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
    tablesOf(sql)
      .map((name) => JSON.stringify(sql.exec(`SELECT * FROM "${name}"`).toArray()))
      .join('\n'),
  );
}

/** Returns all files in both buckets, without their content. */
export async function storedFiles(): Promise<R2Object[]> {
  const lists = await Promise.all([bindings.CLIPS, bindings.ASSETS].map((bucket) => bucket.list()));
  return lists.flatMap(({ objects }) => objects);
}

export const storedKeys = async () => (await storedFiles()).map(({ key }) => key);
