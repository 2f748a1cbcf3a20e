import * as z from 'zod';
import { IMAGE_TYPES } from '../domain/image-header.ts';
import { page } from './lists.ts';

/** Images that an account uploads (spec 2.6): watermarks, and outros, which are no watermarks. */
export const ASSET_KINDS = ['watermark', 'outro'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export const MAX_ASSET_BYTES = 5 * 1024 * 1024;
/** Pixels, each way: more than a whole frame has, and still no burden to decode. */
export const MAX_ASSET_SIDE = 4096;

const kind = z.enum(ASSET_KINDS, 'must be watermark or outro');

/**
 * The query of `POST /api/assets`. The body is the image file itself, and `Content-Type` says what it is:
 * `image/png`, `image/jpeg` or `image/webp`.
 */
export const AssetUploadQuery = z.strictObject({
  kind,
  /** For people to tell assets apart; the service does not care. */
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must be at most 100 characters')
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .optional(),
});

export const AssetListQuery = z.strictObject({ ...page, kind: kind.optional() });
export type AssetListQuery = z.output<typeof AssetListQuery>;

export const Asset = z.object({
  id: z.uuid(),
  kind: z.enum(ASSET_KINDS),
  name: z.string().nullable(),
  content_type: z.enum(IMAGE_TYPES),
  /** Pixels. A watermark is drawn pixel by pixel at 1080 lines, and in proportion at others. */
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  created_at: z.iso.datetime(),
});
export type Asset = z.infer<typeof Asset>;

export const AssetList = z.object({ assets: z.array(Asset), next_cursor: z.string().nullable() });
