import * as z from 'zod';
import type { Log } from '#platform/log.ts';
import { eachOf, isOutOfCalls } from '#service/lib/each-of.ts';
import type { Service } from '#service/lib/service.ts';
import type { Database } from '#storage/lib/database.ts';
import { moveCursor, readCursor, saveCursor } from '#storage/operate/upkeep.ts';

/** Work of the cron in steps. Each step yields about how many calls it made. */
export type Sweep<Result = void> = AsyncGenerator<number, Result, void>;

/**
 * Takes one step of each sweep by turns, until all are done. A sweep that throws ends; the others continue. Throws if
 * the platform allows no more calls.
 */
export async function* byTurns(sweeps: readonly Sweep[], onFailure: (error: unknown) => void): Sweep {
  let going = sweeps;
  while (going.length > 0) {
    const next: Sweep[] = [];
    for (const sweep of going) {
      try {
        const { done, value } = await sweep.next();
        if (done) continue;
        next.push(sweep);
        yield value;
      } catch (error) {
        if (isOutOfCalls(error)) throw error;
        onFailure(error);
      }
    }
    going = next;
  }
}

/** Takes `size` rows at a time, until fewer were left. `calls`: how many calls each step makes. */
export async function* drain(size: number, take: (limit: number) => Promise<number>, calls = 0): Sweep {
  while ((await take(size)) === size) yield calls;
}

function rowIn<Row>(cursor: string, row: z.ZodType<Row>): Row | undefined {
  try {
    return row.parse(JSON.parse(cursor));
  } catch {
    return undefined;
  }
}

interface Rows<Row> {
  readonly db: Database;
  /**
   * The name of the cursor in `db`. The cursor stores a row as JSON: choose another name when the shape of rows
   * changes.
   */
  readonly name: string;
  readonly size: number;
  readonly row: z.ZodType<Row>;
  /** The next rows, in an order that the work does not change. */
  select(after: Row | undefined, limit: number): Promise<readonly Row[]>;
}

/**
 * Processes all rows, page by page. The next run continues after the last page of this one. After the last row it
 * starts again with the first. So a row or a page that fails is retried later and does not stop the rows after it.
 */
export async function* sweepRows<Row>({
  db,
  name,
  size,
  row,
  select,
  work,
}: Rows<Row> & { work(page: readonly Row[]): Promise<unknown> | Sweep }): Sweep {
  const place = await readCursor(db, name);
  // A cursor that cannot be read begins again with the first row.
  let after = place === undefined ? undefined : rowIn(place, row);
  for (let isLast = false; !isLast; ) {
    const page = await select(after, size);
    isLast = page.length < size;
    const next = isLast ? undefined : page.at(-1);
    // Saved before the work, because the work may fail or be interrupted.
    if (next !== after) await saveCursor(db, name, next && JSON.stringify(next));
    after = next;
    const working = page.length > 0 ? work(page) : Promise.resolve();
    if (Symbol.asyncIterator in working) yield* working;
    else await working;
    yield page.length;
  }
}

/** Position of a walk, and the rows that failed in it. */
const walkedOf = <Row>(row: z.ZodType<Row>) =>
  z.object({ after: row.optional(), failed: z.array(row), isOver: z.boolean() });

/** The most failed rows that a walk stores for a retry. With that many, it stops until some succeed. */
const MOST_FAILED = 1000;

/**
 * Processes each row once; the work does not change the rows. A row that fails does not stop the rows after it, and is
 * retried in each run. `expected`: the cursor's value, empty for a new walk. Returns the cursor's last value when no
 * rows are left; undefined while rows are left, or if another request has changed the cursor meanwhile.
 */
export async function* walkRows<Row>({
  db,
  name,
  expected,
  size,
  log,
  row,
  select,
  work,
}: Rows<Row> & { expected: string; log: Log; work(row: Row): Promise<unknown> }): Sweep<string | undefined> {
  const Walked = walkedOf(row);
  let walked: z.output<typeof Walked> =
    expected === '' ? { failed: [], isOver: false } : Walked.parse(JSON.parse(expected));
  let cursor = expected;
  const move = async (next: z.output<typeof Walked>) => {
    const before = cursor;
    walked = next;
    cursor = JSON.stringify(next);
    return moveCursor(db, name, before, cursor);
  };
  const retried = walked.failed;
  if (retried.length > 0) {
    if (!(await move({ ...walked, failed: await eachOf(log, retried, work) }))) return undefined;
    yield retried.length;
  }
  while (!walked.isOver && walked.failed.length < MOST_FAILED) {
    const page = await select(walked.after, size);
    const failed = [...walked.failed, ...(await eachOf(log, page, work))];
    if (!(await move({ after: page.at(-1), failed, isOver: page.length < size }))) return undefined;
    yield page.length;
  }
  return walked.isOver && walked.failed.length === 0 ? cursor : undefined;
}

export type UpkeepService = Pick<
  Service,
  | 'database'
  | 'dispatcher'
  | 'files'
  | 'images'
  | 'demos'
  | 'job'
  | 'clipIds'
  | 'settings'
  | 'purges'
  | 'limits'
  | 'controls'
  | 'log'
  | 'now'
>;

export interface UpkeepReport {
  readonly called: number;
  readonly expired: number;
  /** Deleted assets whose files are gone now. */
  readonly removed: number;
  /** Files that nothing refers to. */
  readonly swept: number;
  /** Clips whose records were rewritten. */
  readonly shown: number;
  /** Jobs whose requests were deleted. */
  readonly forgotten: number;
  /** Jobs deleted with their account, or as old test jobs. */
  readonly erased: number;
  /** How many steps were cut because they made as many statements as a turn has. */
  readonly cut: number;
}

/** One run of the cron, as its sweeps see it. */
export interface Upkeep {
  readonly now: number;
  /** Rows of a step that calls an object for each. */
  readonly size: number;
  readonly report: { -readonly [K in keyof UpkeepReport]: UpkeepReport[K] };
  /** Gets the error that ended one sweep; the others continue. */
  onFailure(error: unknown): void;
}
