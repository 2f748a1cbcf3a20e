/**
 * `Cache-Control` of a clip's files. A re-run overwrites a clip and its owner may delete it: whoever keeps a copy asks
 * again after five minutes. Only where a deletion purges caches may one that serves many keep the file: else it would
 * play what was deleted.
 */
export function fileCacheControl({ purge }: { readonly purge: object | null }): string {
  return `${purge === null ? 'private' : 'public'}, max-age=300`;
}

/**
 * `Cache-Control` of a clip's pages: browsers ask each time whether theirs is the last, and a cache that serves many
 * asks as often as a data centre asks storage.
 */
export const PAGE_CACHING = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10';
