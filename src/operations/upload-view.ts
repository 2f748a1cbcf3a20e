import { demoFileKey } from '#domain/storage-keys.ts';
import type { Settings } from '#platform/settings.ts';
import { PART_BYTES } from '#protocol/gateway.ts';
import { isoTime } from '#protocol/job-view.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE, type Upload } from '#protocol/uploads.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import type { Service } from '#service/service.ts';
import { isInParts, type PartedUpload } from '#storage/demo-parts.ts';
import type { UploadRow } from '#storage/schema.ts';

/** Returns an upload as its account sees it, without its parts. */
export function uploadSummary(row: UploadRow, { baseUrl }: Pick<Settings, 'baseUrl'>): Omit<Upload, 'parts'> {
  const { id, name, bytes, sha256, source, tag, facts, completedAt, createdAt, expiresAt } = row;
  return {
    ...{ id, name, bytes, sha256, source, tag, facts },
    state: completedAt === null ? 'open' : 'complete',
    demo_url: baseUrl + href(UPLOAD_ROUTE, { id }),
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  };
}

type PartsOf = Pick<Service, 'demos' | 'demoParts' | 'settings'>;

/** Adds the missing parts. Throws a problem if storage has dropped the upload. */
export async function uploadView(service: PartsOf, row: UploadRow): Promise<Upload> {
  const key = demoFileKey(row.accountId, row.id);
  // Storage has the whole file if a completion was interrupted, and then no parts.
  const isWhole = row.completedAt !== null || !isInParts(row) || (await service.demos.head(key)) !== null;
  if (isWhole) return { ...uploadSummary(row, service.settings), parts: [] };
  return viewWith(service, row, await orIncomplete(service.demoParts.arrived(key, row)));
}

/** Returns the same, with known parts. */
export async function viewWith(
  { demoParts, settings }: Omit<PartsOf, 'demos'>,
  row: PartedUpload,
  arrived: Parts,
): Promise<Upload> {
  const is_signed = demoParts.isDirect(row);
  const ours = `${settings.baseUrl}${href(UPLOAD_ROUTE, { id: row.id })}/part`;
  const key = demoFileKey(row.accountId, row.id);
  const parts = missingParts(row, arrived).map(async (part) => {
    const bytes = partBytes(row, part);
    const url = is_signed ? await demoParts.addressOf(key, row, part, bytes) : `${ours}?part=${part}`;
    return { part, offset: (part - 1) * PART_BYTES, bytes, url, is_signed };
  });
  return { ...uploadSummary(row, settings), parts: await Promise.all(parts) };
}

type Parts = UploadRow['parts'];

/** Returns the numbers of the missing parts. */
export function missingParts({ bytes }: Pick<UploadRow, 'bytes'>, arrived: Parts): number[] {
  const all = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, index) => index + 1);
  return all.filter((part) => arrived[part] === undefined);
}

/** Returns the size of a part; 0 if the file has no such part. */
export function partBytes({ bytes }: Pick<UploadRow, 'bytes'>, part: number): number {
  return Math.max(0, Math.min(PART_BYTES, bytes - (part - 1) * PART_BYTES));
}
