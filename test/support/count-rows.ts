import { runInDurableObject } from 'cloudflare:test';
import { dispatcherOf } from '#service/dispatcher.ts';
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
