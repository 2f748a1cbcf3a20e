import { formatPath } from '../protocol/field-errors.ts';

/** What `JSON.parse` does not tell of a text. */
export interface JsonScan {
  /** The first field that an object has a second time; null where there is none. */
  readonly duplicate: string | null;
  /** The text of the opaque field's value, without the white space between tokens; null when there is no such field. */
  readonly opaque: string | null;
}

/** An object with the keys it has had and the one it is at, or an array with the place it is at. */
type Open = { readonly keys: Set<string>; at: string; awaitsKey: boolean } | { readonly keys: null; at: number };

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g;

/**
 * Goes through a text that `JSON.parse` has taken, without recursion, so that no depth of nesting matters. The value of
 * the top level's field `opaqueField` is not looked into: its text is handed out as it was sent, with every digit of
 * its numbers (RFC 8259 section 6 leaves their range to the reader), and what it repeats is its own business.
 */
export function scanJson(text: string, opaqueField?: string): JsonScan {
  const open: Open[] = [];
  const opaque: string[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    const [top] = open;
    const inner = open.at(-1);
    const inOpaque = opaqueField !== undefined && top?.at === opaqueField && top.keys !== null && !top.awaitsKey;
    const endsOpaque = open.length === 1 && (token === ',' || token === '}' || token === ':');
    if (inOpaque && !endsOpaque) opaque.push(token);
    if (token === '{') open.push({ keys: new Set(), at: '', awaitsKey: true });
    else if (token === '[') open.push({ keys: null, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner?.keys === null) inner.at++;
    else if (token === ',' && inner?.keys) inner.awaitsKey = true;
    else if (inner?.keys && inner.awaitsKey) {
      inner.awaitsKey = false;
      inner.at = JSON.parse(token);
      if (inner.keys.has(inner.at) && !inOpaque) {
        return { duplicate: formatPath(open.map(({ at }) => at)), opaque: null };
      }
      inner.keys.add(inner.at);
    }
  }
  return { duplicate: null, opaque: opaque.length === 0 ? null : opaque.join('') };
}
