import type { PublicRecord } from '#domain/job/public-record.ts';
import { isUuid } from '#domain/lib/ids.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/lib/service.ts';
import { loadRecord } from '#storage/clip/record-cache.ts';

/** The parts of the service that read public records. */
export type ClipSource = Pick<Service, 'settings' | 'files'>;

const UNKNOWN: PublicRecord = { version: 0, state: 'unknown' };

/** Returns the public record of a clip. `atLeast`: the version of the page that asks. */
export async function loadPublicRecord(
  source: ClipSource,
  id: string,
  { waitUntil }: Pick<Context, 'waitUntil'>,
  atLeast?: number,
): Promise<PublicRecord> {
  if (!isUuid(id)) return UNKNOWN;
  return (await loadRecord(source, id, waitUntil, atLeast)) ?? UNKNOWN;
}
