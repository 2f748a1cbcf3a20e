import { formatCursor, type ListCursor } from '#protocol/lists.ts';

/** A page out of rows of which one more was asked for than it has, and the cursor to go on with. */
export function pageOf<Row extends ListCursor>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: last && found.length > limit ? formatCursor(last) : null };
}
