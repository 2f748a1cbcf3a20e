import { cleanLine, escapeControls } from '#domain/lib/text.ts';

/**
 * Writes a result: JSON with `--json` or without a terminal, else a table or a list of fields. `shown` is the part of
 * it that people see.
 */
export function print(result: unknown, asJson: boolean, shown: unknown = result): void {
  if (!isForPeople(asJson)) {
    process.stdout.write(`${escapeControls(JSON.stringify(result, null, 2))}\n`);
    return;
  }
  process.stdout.write(`${forPeople(shown)}\n`);
}

/** Writes a message to standard error. Results go to standard output. */
export function tell(line: string): void {
  process.stderr.write(`${escapeControls(line)}\n`);
}

/** Whether a person reads the output. */
export function isForPeople(asJson: boolean): boolean {
  return !asJson && process.stdout.isTTY;
}

/**
 * Returns lines of `name  value` for an object, `name.inner  value` for an object in it, and a table for each list. A
 * list alone, or a page of one, is only a table.
 */
export function forPeople(result: unknown): string {
  const clean = cleaned(result);
  if (!isRecord(clean)) return clean === null ? 'done' : String(clean);
  const { next_cursor: cursor, ...shown } = clean;
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

/**
 * Returns a copy of a value with each text and property name cleaned, because hosts and clients may have sent anything.
 */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanLine(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanLine(name), cleaned(inner)]));
}

type Row = Record<string, unknown>;

function table(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const names = Object.keys(first);
  const head = names.map((name) => name.toUpperCase());
  return inColumns([head, ...rows.map((row) => names.map((name) => cell(row[name])))]);
}

/** Returns columns as wide as their widest cell. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const widthOf = (text = '') => [...text].length;
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at]))));
  const padded = (text: string, at: number) => text + ' '.repeat((widths[at] ?? 0) - widthOf(text));
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
