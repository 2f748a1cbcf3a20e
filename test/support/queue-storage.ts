import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { QueueStorage } from '#durable-objects/dispatcher/queue-tables.ts';

/** Creates the tables of a queue on SQLite in memory. Prepares statements once: a simulation runs millions of them. */
export function createQueueStorage(): QueueStorage & { rowsWritten(): number } {
  const db = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  const prepared = (query: string) => {
    const statement = statements.get(query) ?? db.prepare(query);
    statements.set(query, statement);
    return statement;
  };
  let depth = 0;
  return {
    rowsWritten: () => Number(prepared('SELECT total_changes() AS n').get()?.n),
    sql: {
      exec: (query, ...bindings) => {
        // A migration has several statements, which only `exec` accepts.
        const isScript = bindings.length === 0 && !/^\s*SELECT/i.test(query);
        if (isScript) db.exec(query);
        const rows = isScript ? [] : all(prepared(query), bindings);
        return { toArray: () => rows as never[], one: () => rows[0] as never };
      },
    },
    transactionSync(work) {
      if (depth > 0) return work();
      depth++;
      db.exec('BEGIN');
      try {
        const result = work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      } finally {
        depth--;
      }
    },
  };
}

function all(statement: StatementSync, bindings: readonly unknown[]) {
  return statement.all(...(bindings as SQLInputValue[]));
}
