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

/** A table for a list in an object, lines of `name  value` for a plain object. */
export function forPeople(result: unknown): string {
  if (!isRecord(result)) return result === null ? 'done' : String(result);
  const [list] = Object.values(result).filter((value) => Array.isArray(value) && value.every(isRecord));
  if (Array.isArray(list)) {
    return result.next_cursor ? `${table(list)}\n\nMore with --cursor ${result.next_cursor}` : table(list);
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n');
}

function table(rows: readonly Record<string, unknown>[]): string {
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
