import * as z from 'zod';

/** Separated by spaces or commas. */
const list = z.string().transform((text) => text.split(/[\s,]+/).filter((item) => item !== ''));

/** The location in which all data has to stay. */
export const jurisdiction = z.enum(['eu', 'fedramp', 'us']);
export const locationHint = z.enum(['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']);

export const domainList = list.pipe(
  z.array(z.string().regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)*)$/, 'must be domain names, or *')).min(1),
);

/** As in "80 443". */
export const portList = list.transform((ports) => ports.map(Number)).pipe(z.array(z.int().min(1).max(65_535)));

export const originList = list.pipe(z.array(z.url({ protocol: /^https?$/ })));

export const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Parses variables that are set together or not at all: null if none is set. Throws if only some are. */
export function together<Name extends string>(
  values: Readonly<Record<Name, string | undefined>>,
): Readonly<Record<Name, string>> | null {
  const names = Object.keys(values);
  const set = Object.values(values).filter(Boolean);
  if (set.length === 0) return null;
  if (set.length === names.length) return values as Record<Name, string>;
  throw new Error(`${names.join(' and ')} belong together: set ${names.length === 2 ? 'both' : 'all'}, or none`);
}
