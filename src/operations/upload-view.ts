import { demoFileKey } from '#domain/storage-keys.ts';
import type { Settings } from '#platform/settings.ts';
import { PART_BYTES } from '#protocol/gateway.ts';
import { isoTime } from '#protocol/job-view.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE, type Upload } from '#protocol/uploads.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import type { Service } from '#service/service.ts';
import { isInParts } from '#storage/demo-parts.ts';
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

type Parts = UploadRow['parts'];

/** Adds the missing parts. Asks storage which it has, if `known` is absent. Throws a problem if it dropped them. */
export async function uploadView(
  { demos, demoParts, settings }: Pick<Service, 'demos' | 'demoParts' | 'settings'>,
  row: UploadRow,
  known?: Parts,
): Promise<Upload> {
  const summary = uploadSummary(row, settings);
  if (row.completedAt !== null || !isInParts(row)) return { ...summary, parts: [] };
  const key = demoFileKey(row.accountId, row.id);
  // After an interrupted completion storage has the whole file, and no parts.
  if (!known && (await demos.head(key)) !== null) return { ...summary, parts: [] };
  const arrived = known ?? (await orIncomplete(demoParts.arrived(key, row)));
  const is_signed = demoParts.isDirect(row);
  const parts = missingParts(row, arrived).map(async (part) => {
    const bytes = partBytes(row, part);
    const url = is_signed ? await demoParts.addressOf(key, row, part, bytes) : `${summary.demo_url}/part?part=${part}`;
    return { part, offset: (part - 1) * PART_BYTES, bytes, url, is_signed };
  });
  return { ...summary, parts: await Promise.all(parts) };
}

/** Returns the numbers of the missing parts. */
export function missingParts({ bytes }: Pick<UploadRow, 'bytes'>, arrived: Parts): number[] {
  const all = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, index) => index + 1);
  return all.filter((part) => arrived[part] === undefined);
}

/** Returns the size of a part; 0 if the file has no such part. */
export function partBytes({ bytes }: Pick<UploadRow, 'bytes'>, part: number): number {
  return Math.max(0, Math.min(PART_BYTES, bytes - (part - 1) * PART_BYTES));
}
