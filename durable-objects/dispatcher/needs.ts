import type { Offer } from '#domain/host/fair-queue.ts';
import { classOf, type Need, NeedShape } from '#domain/host/need.ts';
import { SQL } from './queue-statements.ts';
import type { QueueStorage } from './queue-tables.ts';

/** How many different needs are kept before those without a job are deleted. */
const MOST_NEEDS = 64;

export interface Needs {
  /** Needs by id. */
  readonly all: ReadonlyMap<number, Need>;
  known(id: number): Need;
  /** Returns the id of what a job needs; adds a new one if no job needed the same. */
  idOf(offer: Offer): number;
}

/**
 * Stores what queued jobs need of hosts, each different need once. `onForgotten` is called with each id that is
 * deleted.
 */
export function createNeeds(sql: QueueStorage['sql'], onForgotten: (id: number) => void): Needs {
  const needs = new Map<number, Need>();
  const ids = new Map<string, number>();
  for (const { id, need } of sql.exec<{ id: number; need: string }>(SQL.needs).toArray()) keep(id, need);

  function keep(id: number, text: string): void {
    needs.set(id, NeedShape.parse(JSON.parse(text)));
    ids.set(text, id);
  }

  function forget(): void {
    for (const [text, id] of ids) {
      if (sql.exec(SQL.isNeeded, id).toArray().length > 0) continue;
      sql.exec(SQL.dropNeed, id);
      needs.delete(id);
      ids.delete(text);
      onForgotten(id);
    }
  }

  function idOf(offer: Offer): number {
    const { resolution, fps, renderer = null, refusedBuilds = [], labels, skills } = offer;
    const text = JSON.stringify(classOf({ resolution, fps, renderer, refusedBuilds, labels, skills }));
    const existing = ids.get(text);
    if (existing !== undefined) return existing;
    if (needs.size >= MOST_NEEDS) forget();
    // Hosts name their builds, and many builds must not slow down every claim. At worst, a host gets a demo again that
    // it refused.
    if (needs.size >= MOST_NEEDS && refusedBuilds.length > 0) return idOf({ ...offer, refusedBuilds: [] });
    const { id } = sql.exec<{ id: number }>(SQL.addNeed, text).one();
    keep(id, text);
    return id;
  }

  return {
    all: needs,
    idOf,
    known(id) {
      const need = needs.get(id);
      if (!need) throw new Error(`a job needs ${id}, which is in no table`);
      return need;
    },
  };
}
