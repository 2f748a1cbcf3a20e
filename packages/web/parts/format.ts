import { span } from '#domain/lib/time-span.ts';

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
