import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type BudgetName, PERIOD_LENGTHS, periodOf } from '#domain/operate/limits.ts';
import { budgets } from '../schema/usage.ts';
import type { Database } from './database.ts';

/** What an account or a key has used of each budget in the current period. */
export type Used = { [N in BudgetName]?: number };

/** What rows use of a budget. */
export interface Use {
  readonly owner: string;
  readonly name: BudgetName;
  readonly at: number;
  readonly amount: number;
}

function periodAt(name: BudgetName, at: number): number {
  const length = periodOf(name);
  return length === null ? 0 : Math.floor(at / length);
}

/** Returns JSON of a `Used`. `owner`: a column, or a value. */
export function usedBy(owner: string | SQLWrapper, now: number): SQL<string> {
  // Of what exists at a time, and of the present hour and day.
  const periods = [0, ...PERIOD_LENGTHS.map((length) => Math.floor(now / length))];
  return sql`(SELECT json_group_object(name, used) FROM ${budgets}
    WHERE owner = ${owner} AND period IN (SELECT value FROM json_each(${JSON.stringify(periods)})))`;
}

export async function findUsed(db: Database, owner: string, now: number): Promise<Used> {
  return JSON.parse((await db.get<{ used: string }>(sql`SELECT ${usedBy(owner, now)} AS used`)).used);
}

/**
 * Writes rows and takes what they use of budgets, in one transaction. Returns false, and changes nothing, if a budget has
 * less left. `most`: of each budget. `write`: makes a statement of the condition that there is room; it returns the rows
 * that it wrote.
 */
export async function take(
  db: Database,
  uses: readonly (Use & { readonly most: number })[],
  write: (hasRoom: SQL) => BatchItem<'sqlite'>,
): Promise<boolean> {
  const rooms = uses.map(({ owner, name, at, amount, most }) => {
    const used = sql`SELECT used FROM ${budgets} WHERE owner = ${owner} AND name = ${name} AND period = ${periodAt(name, at)}`;
    return sql`COALESCE((${used}), 0) + ${amount} <= ${most}`;
  });
  const [written] = await db.batch([
    write(sql.join([sql`1`, ...rooms], sql` AND `)),
    add(db, uses, sql`changes() > 0`),
  ]);
  return Array.isArray(written) && written.length > 0;
}

/** Adds to what is used, whatever is left. In a batch, `changes()` in the condition is of the statement before it. */
export function add(db: Database, uses: readonly Use[], when = sql`1`): Addition {
  const rows = uses.map(({ owner, name, at, amount }) => [owner, name, periodAt(name, at), amount]);
  return addRows(
    db,
    sql`SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${JSON.stringify(rows)}) WHERE ${when}`,
  );
}

/** Rows that stop using budgets. */
interface Freed {
  readonly table: SQLWrapper;
  readonly where: SQL | undefined;
  /** What each row has used. */
  readonly of: readonly (readonly [BudgetName, SQL])[];
  readonly owner?: SQL;
  /** The time of use. */
  readonly at?: SQL;
}

/** Gives back what rows have used, in a batch before the statement that deletes or changes them. */
export function giveBack(
  db: Database,
  { table, where, of, owner = sql`account_id`, at = sql`created_at` }: Freed,
): Addition {
  const rows = of.map(([name, amount]) => {
    const length = periodOf(name);
    // Not bound: D1 binds numbers as REAL, whose division does not truncate.
    const period = length === null ? sql`0` : sql`${at} / ${sql.raw(String(length))}`;
    return sql`SELECT ${owner}, ${name}, ${period}, -(${amount}) FROM ${table} WHERE ${where}`;
  });
  return addRows(db, sql.join(rows, sql` UNION ALL `));
}

type Addition = BatchItem<'sqlite'> & Promise<unknown>;

/** Adds owner, name, period and amount of each row. A period that is over does not change. */
function addRows(db: Database, rows: SQL): Addition {
  const period = sql`MAX(period, excluded.period)`;
  const used = sql`IIF(period < excluded.period, 0, used) + IIF(period > excluded.period, 0, excluded.used)`;
  const target = [budgets.owner, budgets.name];
  return db.insert(budgets).select(rows).onConflictDoUpdate({ target, set: { period, used } });
}
