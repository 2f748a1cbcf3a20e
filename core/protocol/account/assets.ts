import * as z from 'zod';
import { ASSET_USES, type AssetUse } from '#domain/clip/render-order.ts';
import { IMAGE_TYPES } from '#domain/lib/image-header.ts';
import { SOUND_TYPES } from '#domain/lib/sound-header.ts';
import * as field from '../lib/fields.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from '../lib/lists.ts';

/** Files that an account uploads (contract 2.6): images (watermarks, intros, outros) and music. */

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Pixels, each way: more than a whole frame, and cheap to decode. */
export const MAX_IMAGE_SIDE = 4096;
export const MAX_MUSIC_BYTES = 20 * 1024 * 1024;
export const MAX_MUSIC_SECONDS = 600;

/** The field of a submit that names an asset of each kind. */
export const ASSET_FIELDS = {
  watermark: 'watermark_image_id',
  intro: 'intro_asset_id',
  outro: 'outro_asset_id',
  music: 'music_asset_id',
} as const satisfies Record<AssetUse, string>;

const kind = z
  .enum(ASSET_USES, `must be one of ${ASSET_USES.join(', ')}`)
  .describe('The use of the file. Each field of a submit that names an asset takes one kind.');

/**
 * The query of `POST /api/assets`. The body is the file itself, and `Content-Type` says what it is: one of
 * `IMAGE_TYPES`, or of `SOUND_TYPES` for music.
 */
export const AssetUploadQuery = z.strictObject({
  kind,
  name: field.line(100).describe('For you to tell your assets apart.').optional(),
});

export const AssetListQuery = z.strictObject({ ...page, kind: kind.optional() }).refine(isWindow, NO_WINDOW);
export type AssetListQuery = z.output<typeof AssetListQuery>;

export const Asset = z
  .object({
    id: field.uuid('Id of the asset, for the asset fields of a submit.'),
    kind,
    name: field.textOrNull('The file name that was sent with the upload. Null for none.'),
    content_type: z.enum([...IMAGE_TYPES, ...SOUND_TYPES]).describe('The media type of the file.'),
    width: field.integerOrNull(
      'Width in pixels. A watermark is drawn in this size at 1080p, and in proportion at 1440p. Null for music.',
    ),
    height: field.integerOrNull('Height in pixels. Null for music.'),
    seconds: field.numberOrNull('Length of the music in seconds, as its file states. Null for an image.'),
    bytes: field.integer('Length of the file in bytes.'),
    created_at: field.time('Time when the file was uploaded.'),
  })
  .meta({ id: 'Asset', description: 'An uploaded image, or music.' });
export type Asset = z.infer<typeof Asset>;

export const AssetList = z
  .object({ assets: z.array(Asset), next_cursor })
  .meta({ id: 'AssetList', description: 'A page of assets, newest first.' });
