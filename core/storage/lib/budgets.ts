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

/**
 * Reserves hourly budgets in the first hour, now or later, that has room in each; never in an earlier hour than the
 * call before. Returns the start of that hour (ms) and what was reserved of the first budget in it before; null, and
 * reserves nothing, if that is a later hour and `mayWait` is false. `used` may exceed one hour: it counts all hours from
 * `period` on. Callers' clocks may differ: a `period` one ahead is kept.
 */
export async function reserve(
  db: Database,
  { owner, at, mayWait }: Pick<Use, 'owner' | 'at'> & { readonly mayWait: boolean },
  uses: readonly (Pick<Use, 'name' | 'amount'> & { readonly most: number })[],
): Promise<{ readonly at: number; readonly place: number } | null> {
  // In JSON, because D1 binds numbers as REAL. A use that is larger than its budget fills a whole hour.
  const asked = uses.map(({ name, amount, most }) => [name, periodAt(name, at), Math.min(amount, most), most]);
  const rows = await db.all<Pick<typeof budgets.$inferSelect, 'name' | 'period' | 'used'>>(sql`
    INSERT INTO ${budgets} SELECT owner, name, period, MAX(before, later * most) + amount FROM (
      SELECT *, MAX((before + amount - 1) / most) OVER () AS later FROM (
        SELECT ${owner} AS owner, value->>0 AS name, value->>2 AS amount, value->>3 AS most,
          (value->>1) + (period IS (value->>1) + 1) AS period,
          MAX(0, COALESCE(used - (value->>3) * MAX(0, (value->>1) - period), 0)) AS before
        FROM json_each(${JSON.stringify(asked)})
        LEFT JOIN ${budgets} ON ${budgets.owner} = ${owner} AND ${budgets.name} = value->>0))
    WHERE later = 0 OR ${mayWait}
    ON CONFLICT (owner, name) DO UPDATE SET period = excluded.period, used = excluded.used
    RETURNING name, period, used`);
  const [first] = uses;
  const taken = rows.find(({ name }) => name === first?.name);
  if (!first || !taken) return null;
  const later = Math.ceil(taken.used / first.most) - 1;
  const begin = (taken.period + later) * (periodOf(first.name) ?? 0);
  return { at: begin, place: taken.used - later * first.most - Math.min(first.amount, first.most) };
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
