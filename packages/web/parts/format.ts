import { TickreelError } from '#client/errors.ts';
import type { FieldError } from '#client/shapes.ts';
import { span } from '#domain/lib/text.ts';

/** The form of a time in a field. */
export const A_TIME = '2026-05-04T20:00:00Z';

/** Formats a time relative to now: `4 min ago` or `in 4 min`. */
export function ago(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  return seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`;
}

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export function amount(count: number): string {
  return count.toLocaleString('en');
}

/** Returns the beginning of an id, which is enough for people. */
export function short(id: string): string {
  return id.slice(0, 8);
}

export function percent(share: number | null): string {
  return share === null ? '' : `${Math.floor(share * 100)} %`;
}

/** Returns the configuration with which MatchZy sends its demos to this service. */
export function gameServerLines(key: string): string {
  const lines = { url: `${location.origin}/api/ingest`, header_key: 'X-Api-Key', header_value: key };
  return Object.entries(lines)
    .map(([name, value]) => `matchzy_demo_upload_${name} "${value}"`)
    .join('\n');
}

/** Returns the title and the text that show a new key once: one of a game server in its lines of configuration. */
export function newKeyTexts({ key = '', scope }: { readonly key?: string; readonly scope?: string }): [string, string] {
  if (scope !== 'ingest') return ['The new key', key];
  return ['The new key, in the lines for MatchZy', gameServerLines(key)];
}

/** A value of a form that the page itself refuses. `path`: the name of its field. */
export class WrongValue extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Returns which values of a form are wrong; none if the failure has another cause. */
export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  if (error instanceof WrongValue) return [{ path: error.path, message: error.message }];
  return error instanceof TickreelError ? (error.problem?.errors ?? []) : [];
}

/** Returns what went wrong, in a sentence. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'Something went wrong.' : text;
}

/** Whether the service refused the key, the token or the session. */
export function isUnauthorized(error: unknown): error is TickreelError {
  return error instanceof TickreelError && error.status === 401;
}
