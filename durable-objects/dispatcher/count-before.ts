import { LANES } from './lanes.ts';
import { SQL } from './queue-statements.ts';
import type { QueueStorage, ReadyRow } from './queue-tables.ts';

/** A longer queue is not counted to its end. */
const MOST = 1000;

/**
 * How many jobs go before this one, a thousand standing for more; null where it waits for no host. `needs`: those that
 * jobs have.
 */
export function countBefore(sql: QueueStorage['sql'], jobId: string, needs: Iterable<number>): number | null {
  const [own] = sql.exec<ReadyRow>(SQL.queued, jobId).toArray();
  const lanes: readonly number[] = LANES;
  if (!own || !lanes.includes(own.lane)) return null;
  const { lane, vt, seq } = own;
  let count = 0;
  for (const need of needs) {
    count += sql.exec<{ n: number }>(SQL.before, need, lane, vt, seq, MOST).one().n;
    for (const other of lanes.slice(0, lanes.indexOf(lane))) {
      count += sql.exec<{ n: number }>(SQL.ofLane, need, other, MOST).one().n;
    }
    if (count >= MOST) return MOST;
  }
  return count;
}
