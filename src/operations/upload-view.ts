import { demoFileKey } from '#domain/storage-keys.ts';
import type { Settings } from '#platform/settings.ts';
import { PART_BYTES } from '#protocol/gateway.ts';
import { isoTime } from '#protocol/job-view.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE, type Upload } from '#protocol/uploads.ts';
import type { Service } from '#service/service.ts';
import type { UploadRow } from '#storage/schema.ts';
import { isInParts } from '#storage/uploads.ts';

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

/** Returns an upload as its account sees it. */
export async function uploadView(
  { demos, settings }: Pick<Service, 'demos' | 'settings'>,
  row: UploadRow,
): Promise<Upload> {
  const isWhole =
    row.completedAt !== null ||
    !isInParts(row) ||
    // After an interrupted completion storage has the whole file, and no parts.
    (await demos.head(demoFileKey(row.accountId, row.id))) !== null;
  return isWhole ? { ...uploadSummary(row, settings), parts: [] } : openUploadView(row, settings);
}

/** Returns an upload in parts that is not complete, with its missing parts. */
export function openUploadView(row: UploadRow, settings: Pick<Settings, 'baseUrl'>): Upload {
  const summary = uploadSummary(row, settings);
  const parts = missingParts(row).map((part) => ({
    part,
    offset: (part - 1) * PART_BYTES,
    bytes: partBytes(row, part),
    url: `${summary.demo_url}/part?part=${part}`,
  }));
  return { ...summary, parts };
}

/** Returns the numbers of the missing parts. */
export function missingParts({ bytes, parts }: Pick<UploadRow, 'bytes' | 'parts'>): number[] {
  const all = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, index) => index + 1);
  return all.filter((part) => parts[part] === undefined);
}

/** Returns the size of a part; 0 if the file has no such part. */
export function partBytes({ bytes }: Pick<UploadRow, 'bytes'>, part: number): number {
  return Math.max(0, Math.min(PART_BYTES, bytes - (part - 1) * PART_BYTES));
}
