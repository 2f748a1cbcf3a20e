import type { Service } from '../../service/service.ts';
import type { Database } from '../../storage/database.ts';

/** The same of each database that is bound, side by side. */
export function ofEach<T>({ names, of }: Service['databases'], ask: (database: Database) => Promise<T>): Promise<T[]> {
  return Promise.all(names.map((name) => ask(of(name))));
}

/** A place in a list that goes by a time and, among equals, by id. */
export interface Place {
  readonly createdAt: number;
  readonly id: string;
}

/** Below zero where the first of the two is the older. */
export function byAge(a: Place, b: Place): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Asks many objects, a few at a time: null where one does not answer. In the order of `items`. */
export async function askAll<Item, T>(items: readonly Item[], ask: (item: Item) => Promise<T>): Promise<(T | null)[]> {
  const answers: (T | null)[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [i, item] = next;
      answers[i] = await ask(item).catch(() => null);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  return answers;
}
/** The platform allows six connections. */
const WIDTH = 6;
