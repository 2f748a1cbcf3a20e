import { databasesOf } from '#domain/database-names.ts';
import { isUuid } from '#domain/ids.ts';
import type { PublicRecord } from '#domain/public-record.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import { loadRecord } from '#storage/record-cache.ts';

/** Where the records of clips are looked up. */
export type ClipSource = Pick<Service, 'settings' | 'files'>;

const UNKNOWN: PublicRecord = { version: 0, state: 'unknown' };

/** What viewers may know of the clip with this id. `atLeast`: the version that the asking page was made of. */
export async function loadPublicRecord(
  source: ClipSource,
  id: string,
  { waitUntil }: Pick<Context, 'waitUntil'>,
  atLeast?: number,
): Promise<PublicRecord> {
  if (!isUuid(id)) return UNKNOWN;
  return (await loadRecord(source, id, waitUntil, atLeast)) ?? UNKNOWN;
}

/**
 * Where the index may have a clip, the likeliest first: the id of its job says so, and that follows from its own. Where
 * there is one database nothing is computed.
 */
export async function databasesOfClip(
  { databases, clipIds }: Pick<Service, 'databases' | 'clipIds'>,
  clipId: string,
): Promise<readonly string[]> {
  if (databases.names.length === 1) return databases.names;
  return databasesOf(await clipIds.ownerOf(clipId), databases.names);
}
