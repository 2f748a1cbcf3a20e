import { type Capability, canDo } from '../../domain/need.ts';
import { COVERED, LANES } from './lanes.ts';
import type { Needs } from './needs.ts';
import { SQL } from './queue-statements.ts';
import type { QueueStorage, ReadyRow as Row } from './queue-tables.ts';
import type { Shares } from './shares.ts';

/** How many jobs that had better not go to this host are passed over for the next one. */
const LOOK_AHEAD = 4;

type Place = Pick<Row, 'vt' | 'seq'>;
const BEFORE_ALL: Place = { vt: -1, seq: -1 };

/** What the queue knows of its jobs. */
interface Jobs {
  readonly sql: QueueStorage['sql'];
  readonly needs: Needs;
  /** Those that are suggested. */
  readonly hidden: ReadonlySet<string>;
  readonly shares: Shares;
  /** Whether a job had better go to another host. */
  isAvoided(row: Row, hostId: string): boolean;
}

export interface Heads {
  /** The next job of a host. */
  choose(capability: Capability, hostId: string, lanes: readonly number[]): Row | null;
  /** Has what lies at a place seen again. */
  uncover(at: Pick<Row, 'need' | 'lane' | 'vt' | 'seq'>): void;
  /** A need is no more. */
  forget(need: number): void;
  /** Has everything seen again. */
  clear(): void;
}

/**
 * Reads the first jobs of each need and lane. Each need and lane has a mark: all that lies up to it is hidden, so that
 * nobody reads it again. Marks are in memory alone.
 */
export function createHeads({ sql, needs, hidden, shares, isAvoided }: Jobs): Heads {
  const marks = new Map<string, Place>();

  /** The next job of one need and lane for this host, of any account or of one. */
  function head(need: number, lane: number, hostId: string, accountId?: string): Row | null {
    const key = `${need} ${lane}`;
    let from = marks.get(key) ?? BEFORE_ALL;
    let passed = 0;
    for (;;) {
      const { vt, seq } = from;
      const [row] =
        accountId === undefined
          ? sql.exec<Row>(SQL.behind, need, lane, vt, seq, 1).toArray()
          : sql.exec<Row>(SQL.behindOf, need, lane, accountId, vt, seq).toArray();
      if (!row) return null;
      if (!hidden.has(row.job_id)) {
        if (!isAvoided(row, hostId)) return row;
        if (++passed > LOOK_AHEAD) return null;
      } else if (passed === 0 && accountId === undefined) {
        marks.set(key, { vt: row.vt, seq: row.seq });
      }
      from = row;
    }
  }

  /** The same of the accounts that do not have their share. */
  function headOfOthers(need: number, lane: number, hostId: string): Row | null {
    let first: Row | null = null;
    for (const { id, vt } of sql.exec<{ id: string; vt: number }>(SQL.accounts, need, lane).toArray()) {
      if (first && vt > first.vt) break;
      if (!shares.isFull(lane, id)) first = earlier(first, head(need, lane, hostId, id));
    }
    return first;
  }

  return {
    choose(capability, hostId, lanes) {
      const able = [...needs.all].flatMap(([id, need]) => (canDo(capability, need) ? [id] : []));
      let full: Row | null = null;
      for (const lane of lanes) {
        const first = able.map((need) => head(need, lane, hostId)).reduce(earlier, null);
        if (first === null) continue;
        if (lane === COVERED || !shares.isFull(lane, first.account_id)) return first;
        full ??= first;
        const other = able.map((need) => headOfOthers(need, lane, hostId)).reduce(earlier, null);
        if (other) return other;
      }
      // Nobody else waits: no host is kept idle.
      return full;
    },

    uncover({ need, lane, vt, seq }) {
      const mark = marks.get(`${need} ${lane}`);
      if (mark && (mark.vt - vt || mark.seq - seq) >= 0) marks.set(`${need} ${lane}`, { vt, seq: seq - 1 });
    },

    forget(need) {
      for (const lane of LANES) marks.delete(`${need} ${lane}`);
    },

    clear: () => marks.clear(),
  };
}

function earlier(a: Row | null, b: Row | null): Row | null {
  if (a === null || b === null) return a ?? b;
  return (b.vt - a.vt || b.seq - a.seq) < 0 ? b : a;
}
