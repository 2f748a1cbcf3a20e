import * as z from 'zod';
import { IMAGE_TYPES } from '#domain/image-header.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from './lists.ts';

/** Images that an account uploads (contract 2.6): watermarks and outros. */

export const MAX_ASSET_BYTES = 5 * 1024 * 1024;
/** Pixels, each way: more than a whole frame, and cheap to decode. */
export const MAX_ASSET_SIDE = 4096;

const kind = z
  .enum(['watermark', 'outro'], 'must be watermark or outro')
  .meta({ description: 'What it is for. Only a watermark can be named by `watermark_image_id`.' });

/**
 * The query of `POST /api/assets`. The body is the image file itself, and `Content-Type` says what it is:
 * `image/png`, `image/jpeg` or `image/webp`.
 */
export const AssetUploadQuery = z.strictObject({
  kind,
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must be at most 100 characters')
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .meta({ description: 'For you to tell your images apart; the service does not care.' })
    .optional(),
});

export const AssetListQuery = z.strictObject({ ...page, kind: kind.optional() }).refine(isWindow, NO_WINDOW);
export type AssetListQuery = z.output<typeof AssetListQuery>;

export const Asset = z
  .object({
    id: z.uuid().meta({ description: 'What `watermark_image_id` names.' }),
    kind,
    name: z.string().nullable().meta({ description: 'As it was uploaded; null without one.' }),
    content_type: z.enum(IMAGE_TYPES).meta({ description: 'What the file is.' }),
    width: z.int().meta({ description: 'Pixels, as they are drawn at 1080p; in proportion at 1440p.' }),
    height: z.int().meta({ description: 'Pixels, likewise.' }),
    bytes: z.int().meta({ description: 'Length of the file.' }),
    created_at: z.iso.datetime().meta({ description: 'When it was uploaded.' }),
  })
  .meta({ id: 'Asset', description: 'An uploaded image.' });
export type Asset = z.infer<typeof Asset>;

export const AssetList = z
  .object({ assets: z.array(Asset), next_cursor })
  .meta({ id: 'AssetList', description: 'A page of assets, newest first.' });
