import type { Settings } from '../../platform/settings.ts';
import { PART_BYTES } from '../../protocol/gateway.ts';
import { isoTime } from '../../protocol/job-view.ts';
import { API_ROUTES, href } from '../../protocol/routes.ts';
import type { Upload } from '../../protocol/uploads.ts';
import type { UploadRow } from '../../storage/schema.ts';

/** An upload as its account sees it, but for its parts. */
export function uploadSummary(row: UploadRow, { baseUrl }: Pick<Settings, 'baseUrl'>): Omit<Upload, 'parts'> {
  const { id, name, bytes, sha256, completedAt, createdAt, expiresAt } = row;
  return {
    ...{ id, name, bytes, sha256 },
    state: completedAt === null ? 'open' : 'complete',
    demo_url: baseUrl + href(API_ROUTES.getUpload, { id }),
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  };
}

/** With what is still to be sent. */
export function uploadView(row: UploadRow, settings: Pick<Settings, 'baseUrl'>): Upload {
  const address = settings.baseUrl + href(API_ROUTES.sendUploadPart, { id: row.id });
  const parts = missingParts(row).map((part) => ({
    part,
    offset: (part - 1) * PART_BYTES,
    bytes: partBytes(row, part),
    url: `${address}?part=${part}`,
  }));
  return { ...uploadSummary(row, settings), parts };
}

/** The numbers of the parts that have not come. */
export function missingParts({ bytes, parts, completedAt }: UploadRow): number[] {
  if (completedAt !== null) return [];
  const all = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, index) => index + 1);
  return all.filter((part) => parts[part] === undefined);
}

/** 0 for a part that the file does not have. */
export function partBytes({ bytes }: Pick<UploadRow, 'bytes'>, part: number): number {
  return Math.max(0, Math.min(PART_BYTES, bytes - (part - 1) * PART_BYTES));
}
