import { formatPath } from '#protocol/lib/problem.ts';

/** Facts about a JSON text that `JSON.parse` does not return. */
export interface JsonScan {
  /** The first field that occurs twice in an object; null if there is none. */
  readonly duplicate: string | null;
  /** The texts of opaque fields by path, without white space between tokens. */
  readonly opaque: ReadonlyMap<string, string>;
}

type Path = readonly (string | number)[];
/** Whether the value of a field is opaque. Called for fields within three levels. */
export type IsOpaque = (path: Path) => boolean;

/** An object with its keys so far and the present one, or an array with its index. */
type Open = { readonly keys: Set<string>; at: string; awaitsKey: boolean } | { readonly keys: null; at: number };

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g;
/** The deepest level of fields for which paths are built. */
const DEEPEST = 3;

/**
 * Scans a text that `JSON.parse` accepted, without recursion, so any depth is safe. The value of an opaque field is
 * returned as its text, with every digit of its numbers (RFC 8259 section 6 leaves their range to the reader), because
 * `JSON.parse` rounds numbers and drops the first of two equal fields. Duplicates in it are ignored.
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
