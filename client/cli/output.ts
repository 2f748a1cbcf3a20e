/**
 * Writes a result: JSON where it was asked for or where nobody reads along, a table or a list of fields elsewhere.
 * `shown`: what people read instead of the whole of it.
 */
export function print(result: unknown, asJson: boolean, shown: unknown = result): void {
  if (!isForPeople(asJson)) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${forPeople(shown)}\n`);
}

/** Whether somebody reads along. */
export function isForPeople(asJson: boolean): boolean {
  return !asJson && process.stdout.isTTY;
}

/**
 * Lines of `name  value` for an object, of `name.inner  value` for one within it, and a table for each list; a list
 * that is all there is, or a page of it, is a table alone.
 */
export function forPeople(result: unknown): string {
  if (!isRecord(result)) return result === null ? 'done' : String(result);
  const { next_cursor: cursor, ...shown } = result;
  const isAlone = Object.keys(shown).length === 1;
  const isList = (value: unknown) => Array.isArray(value) && value.every(isRecord) && (isAlone || value.length > 0);
  const lists = Object.entries(shown).filter(([, value]) => isList(value));
  const lines = Object.entries(shown).flatMap(([name, value]): [string, unknown][] => {
    if (isList(value)) return [];
    if (!isRecord(value)) return [[name, value]];
    return Object.entries(value).map(([inner, deep]) => [`${name}.${inner}`, deep]);
  });
  const width = Math.max(...lines.map(([name]) => name.length));
  const parts = lists.map(([name, list]) => (lines.length > 0 ? `${name}\n` : '') + table(list as Row[]));
  if (lines.length > 0) parts.unshift(lines.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`).join('\n'));
  if (cursor) parts.push(`More with --cursor ${cursor}`);
  return parts.join('\n\n');
}

type Row = Record<string, unknown>;

function table(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const names = Object.keys(first);
  const lines = [names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
