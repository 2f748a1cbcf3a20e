import { FILE_AGE_S } from '#domain/clip/clip.ts';

/**
 * Returns `Cache-Control` of the files that the Worker serves. A re-run replaces a clip and its owner may delete it, so
 * copies are revalidated. Shared caches may keep a file only if a deletion purges them.
 */
export function fileCacheControl({ purge }: { readonly purge: object | null }): string {
  return `${purge === null ? 'private' : 'public'}, max-age=${FILE_AGE_S}`;
}

/** `Cache-Control` of a clip's pages: browsers revalidate each time, shared caches every ten seconds. */
export const PAGE_CACHING = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10';
