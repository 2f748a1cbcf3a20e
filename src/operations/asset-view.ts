import type { Asset } from '#protocol/assets.ts';
import { isoTime } from '#protocol/job-view.ts';
import type { AssetRow } from '#storage/schema.ts';

/** Returns an asset as its account sees it. */
export function assetView(row: Omit<AssetRow, 'deletedAt'>): Asset {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    content_type: row.contentType,
    width: row.width,
    height: row.height,
    seconds: row.seconds,
    bytes: row.bytes,
    created_at: isoTime(row.createdAt),
  };
}
