import { type Capability, canDo, type Need } from '#domain/host/need.ts';
import type { Needs } from './needs.ts';
import { SQL } from './queue-statements.ts';
import { BEST_EFFORT, COVERED, LANES, type QueueStorage, type ReadyRow as Row, SHORT } from './queue-tables.ts';
import type { Shares } from './shares.ts';

/** How many jobs that should go to another host are skipped before the search ends. */
const LOOK_AHEAD = 4;

type QueuePosition = Pick<Row, 'vt' | 'seq'>;
const BEFORE_ALL: QueuePosition = { vt: -1, seq: -1 };

/** The state of the queue that the search reads. */
interface Jobs {
  readonly sql: QueueStorage['sql'];
  readonly needs: Needs;
  /** Jobs that are suggested to a host. */
  readonly hidden: ReadonlySet<string>;
  readonly shares: Shares;
  /** Whether a job should go to another host. */
  isAvoided(row: Row, hostId: string): boolean;
  /** Whether another host that can do this has polled recently. */
  hasOther(need: Need, hostId: string): boolean;
}

export interface Heads {
  /** Returns the next job for a host. */
  choose(capability: Capability, hostId: string): Row | null;
  /** Makes the row at a place visible again. */
  uncover(at: Pick<Row, 'need' | 'lane' | 'vt' | 'seq'>): void;
  /** Drops the marks of a need that is deleted. */
  forget(need: number): void;
  /** Makes all rows visible again. */
  clear(): void;
}

/**
 * Finds the first jobs of each need and lane. Each need and lane has a mark: all rows up to it are hidden and are not
 * read again. Marks are kept only in memory.
 */
export function createHeads({ sql, needs, hidden, shares, isAvoided, hasOther }: Jobs): Heads {
  const marks = new Map<string, QueuePosition>();
  /** The hosts whose last job was an inspection. */
  const inspected = new Set<string>();

  /** Returns the next job of one need and lane for this host, of any account or of the given one. */
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

  /** Returns the next job of the accounts that have less than their share. */
  function headOfOthers(need: number, lane: number, hostId: string): Row | null {
    let first: Row | null = null;
    for (const { id, vt } of sql.exec<{ id: string; vt: number }>(SQL.accounts, need, lane).toArray()) {
      if (first && vt > first.vt) break;
      if (!shares.isFull(lane, id)) first = earlier(first, head(need, lane, hostId, id));
    }
    return first;
  }

  /**
   * Whether this clip goes before inspections: they have their share, or the host has just done one and is alone. A
   * host is alone if no other one works, or can do the clip.
   */
  function isClipNext(clip: Row, hostId: string): boolean {
    if (shares.hasInspectionShare()) return true;
    return inspected.has(hostId) && (shares.isEmpty() || !hasOther(needs.known(clip.need), hostId));
  }

  function search(capability: Capability, hostId: string): Row | null {
    const able = [...needs.all].flatMap(([id, need]) => (canDo(capability, need) ? [id] : []));
    const headOf = (lane: number) => able.map((need) => head(need, lane, hostId)).reduce(earlier, null);
    let full: Row | null = null;
    for (const lane of LANES) {
      const first = headOf(lane);
      if (first === null) continue;
      const clip = lane === SHORT ? headOf(BEST_EFFORT) : null;
      if (clip && isClipNext(clip, hostId)) continue;
      if (lane === COVERED || !shares.isFull(lane, first.account_id)) return first;
      full ??= first;
      const other = able.map((need) => headOfOthers(need, lane, hostId)).reduce(earlier, null);
      if (other) return other;
    }
    // No other account waits, so the full account gets the host.
    return full;
  }

  return {
    choose(capability, hostId) {
      const chosen = search(capability, hostId);
      if (chosen) inspected[chosen.lane === SHORT ? 'add' : 'delete'](hostId);
      return chosen;
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
