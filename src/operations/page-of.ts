import { formatCursor, type ListCursor } from '#protocol/lists.ts';

/** Returns a page and its next cursor. `rows` has one row more than the page if there are more. */
export function pageOf<Row extends ListCursor>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: last && found.length > limit ? formatCursor(last) : null };
}
