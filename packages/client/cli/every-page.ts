import type { Call } from './operation-commands.ts';
import { tell } from './output.ts';

/** Calls an operation page by page and merges the answers. */
export async function everyPage(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  const totals = {};
  for (let more = {}; ; ) {
    const { next_cursor: cursor, ...page } = await call({ ...fields, ...more });
    addUp(totals, page);
    if (cursor === null) return totals;
    tell(`${JSON.stringify(totals)}; cut short, go on with --cursor "${cursor}"`);
    more = { cursor };
  }
}

/** Sums numbers and joins lists. */
export function addUp(totals: Record<string, unknown>, page: object): void {
  for (const [name, value] of Object.entries(page)) {
    const before = totals[name] ?? (Array.isArray(value) ? [] : 0);
    totals[name] = Array.isArray(before) ? [...before, ...value] : Number(before) + value;
  }
}
