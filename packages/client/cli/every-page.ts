import type { Call } from './operation-commands.ts';
import { tell } from './output.ts';

/**
 * Calls an operation page by page and merges the answers. After Ctrl-C it ends with the page under way and says where
 * to go on; a second Ctrl-C ends the program.
 */
export async function everyPage(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  const totals = {};
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    tell('stopping after this batch');
  };
  process.once('SIGINT', stop);
  try {
    for (let more = {}; ; ) {
      const { next_cursor: cursor = null, ...page } = await call({ ...fields, ...more });
      addUp(totals, page);
      if (cursor === null) return totals;
      const counts = Object.entries(totals).map(
        ([name, value]) => `${Array.isArray(value) ? value.length : value} ${name}`,
      );
      tell(`${counts.join(', ')}; ${isStopped ? 'stopped' : 'cut short'}, go on with --cursor "${cursor}"`);
      if (isStopped) {
        process.exitCode = 130;
        return totals;
      }
      more = { cursor };
    }
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Sums numbers and joins lists. */
export function addUp(totals: Record<string, unknown>, page: object): void {
  for (const [name, value] of Object.entries(page)) {
    const before = totals[name] ?? (Array.isArray(value) ? [] : 0);
    totals[name] = Array.isArray(before) ? [...before, ...value] : Number(before) + value;
  }
}
