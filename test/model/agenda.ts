/** A virtual clock with a list of future work, ordered by time and then by insertion. */
export interface Agenda {
  now(): number;
  /** Schedules work after so many milliseconds. */
  in(ms: number, work: () => void): void;
  /** Runs until `isOver`, or until nothing is scheduled. */
  runUntil(isOver: () => boolean): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

export function createAgenda(): Agenda {
  const heap: Entry[] = [];
  let now = 0;
  let order = 0;
  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(entry: Entry): void {
    let place = heap.push(entry) - 1;
    for (;;) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (place === 0 || !above || !isBefore(entry, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = entry;
  }

  function pop(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let place = 0;
    for (;;) {
      const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
      const child = right && left && isBefore(right, left) ? 2 * place + 2 : 2 * place + 1;
      const lower = heap[child];
      if (!lower || !isBefore(lower, last)) break;
      heap[place] = lower;
      place = child;
    }
    heap[place] = last;
    return first;
  }

  return {
    now: () => now,
    in(ms, work) {
      push({ at: now + ms, order: order++, work });
    },
    runUntil(isOver) {
      while (!isOver()) {
        const next = pop();
        if (!next) return;
        now = next.at;
        next.work();
      }
    },
  };
}
