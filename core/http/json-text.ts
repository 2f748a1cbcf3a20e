import { formatPath } from '#protocol/field-errors.ts';

/** What `JSON.parse` does not tell of a text. */
export interface JsonScan {
  /** The first field that an object has a second time; null where there is none. */
  readonly duplicate: string | null;
  /** The texts of the opaque fields' values by their paths, without the white space between tokens. */
  readonly opaque: ReadonlyMap<string, string>;
}

type Path = readonly (string | number)[];
/** Whether nobody looks into a field. Asked of those within three levels. */
export type IsOpaque = (path: Path) => boolean;

/** An object with the keys it has had and the one it is at, or an array with the place it is at. */
type Open = { readonly keys: Set<string>; at: string; awaitsKey: boolean } | { readonly keys: null; at: number };

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g;
/** A path is made for each field down to here, and none for what is nested without end. */
const DEEPEST = 3;

/**
 * Goes through a text that `JSON.parse` has taken, without recursion, so that no depth of nesting matters. An opaque
 * field's value is not looked into: its text is handed out as it was sent, with every digit of its numbers (RFC 8259
 * section 6 leaves their range to the reader), and what it repeats is its own business.
 */
export function scanJson(text: string, isOpaque: IsOpaque = () => false): JsonScan {
  const open: Open[] = [];
  const opaque = new Map<string, string>();
  const path = () => open.map(({ at }) => at);
  let inside: { readonly depth: number; readonly path: string; readonly tokens: string[] } | null = null;
  for (const [token] of text.matchAll(TOKENS)) {
    const inner = open.at(-1);
    if (inside && open.length === inside.depth && (token === ',' || token === '}')) {
      opaque.set(inside.path, inside.tokens.join(''));
      inside = null;
    } else if (inside && (token !== ':' || open.length > inside.depth)) inside.tokens.push(token);
    if (token === '{') open.push({ keys: new Set(), at: '', awaitsKey: true });
    else if (token === '[') open.push({ keys: null, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner?.keys === null) inner.at++;
    else if (token === ',' && inner?.keys) inner.awaitsKey = true;
    else if (inner?.keys && inner.awaitsKey) {
      inner.awaitsKey = false;
      inner.at = JSON.parse(token);
      if (inside) continue;
      if (inner.keys.has(inner.at)) return { duplicate: formatPath(path()), opaque };
      inner.keys.add(inner.at);
      if (open.length > DEEPEST || !isOpaque(path())) continue;
      inside = { depth: open.length, path: formatPath(path()), tokens: [] };
    }
  }
  return { duplicate: null, opaque };
}
