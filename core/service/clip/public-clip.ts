import type { PublicRecord } from '#domain/job/public-record.ts';
import type { Result } from '#domain/job/result.ts';
import { isUuid } from '#domain/lib/ids.ts';
import type { Context } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import type { RenderJobStub } from '#rpc/bindings.ts';
import type { Service } from '#service/lib/service.ts';
import { loadRecord } from '#storage/clip/record-cache.ts';

/** The parts of the service that read public records. */
export type ClipSource = Pick<Service, 'settings' | 'files'>;

export const UNKNOWN: PublicRecord = { version: 0, state: 'unknown' };

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

/** Returns the settings, with the brand of the clip's account if it has one. */
export function settingsFor({ settings }: Pick<Service, 'settings'>, { brand }: PublicRecord): Settings {
  return brand ? { ...settings, brand } : settings;
}

/** Calls the job that owns a clip. */
export async function askOwner<Value>(
  { job, clipIds }: Pick<Service, 'job' | 'clipIds'>,
  clipId: string,
  ask: (owner: RenderJobStub) => Promise<Result<Value, 'not_found'>>,
): Promise<Result<Value, 'not_found'>> {
  return ask(job(await clipIds.ownerOf(clipId)));
}
