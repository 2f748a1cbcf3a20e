import { IMAGE_TYPES, type ImageFault, type ImageType, readImageHeader } from '#domain/image-header.ts';
import { assetKey } from '#domain/storage-keys.ts';
import { json } from '#http/json.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { mediaType, readBytes } from '#http/read-body.ts';
import { Asset, AssetUploadQuery, MAX_ASSET_BYTES, MAX_ASSET_SIDE } from '#protocol/assets.ts';
import { ASSET, ASSET_ID } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { insertAsset } from '#storage/assets.ts';
import { requireUploadRate } from '../uploads.ts';
import { assetView } from './asset-view.ts';
import { getAsset } from './assets-get.ts';

/**
 * Answers 415 for another type than PNG, JPEG and WebP, 413 beyond 5 MiB, and 400 with the rule that the image breaks.
 * `curl -X POST "$BASE_URL/api/assets?kind=watermark&name=logo" -H "Authorization: Bearer $KEY" -H "Content-Type:
 * image/png" --data-binary @logo.png`
 */
export const uploadAsset = operation({
  route: 'POST /api/assets',
  scope: 'account:manage',
  diskShare: 1,
  query: AssetUploadQuery,
  handler: async ({ database, images, limits, settings, now }, { caller, request, query }) => {
    await requireUploadRate({ limits }, caller);
    const { kind, name = null } = query();
    const contentType = imageTypeOf(request);
    const bytes = await readBytes(request, MAX_ASSET_BYTES);
    const asset = {
      id: crypto.randomUUID(),
      accountId: caller.accountId,
      kind,
      name,
      contentType,
      ...sizeOf(bytes, contentType),
      bytes: bytes.byteLength,
      createdAt: now(),
    };
    // Stores the file first: a job may draw every asset that is listed.
    const key = assetKey(caller.accountId, asset.id);
    await images.put(key, bytes, contentType);
    const stored = { ...settings.limits, ...caller.limits };
    if (!(await insertAsset(database, asset, stored))) {
      await images.delete([key]);
      const { assets, assetBytes } = stored;
      const most = `${assets} images and ${assetBytes / 1024 / 1024} MiB of them`;
      throw limitReached(`An account may have ${most}; one that was deleted counts for another day.`);
    }
    return json(assetView(asset), 201, { Location: href(getAsset.route, { id: asset.id }) });
  },
});

export const words = (): OperationWords => ({
  tag: 'Assets',
  summary: 'Upload an image',
  description:
    'The body is the file: one still PNG, JPEG or WebP of at most 5 MiB and 4096 pixels each way. The service reads the file and refuses one that is cut off, animated, or of another type than its `Content-Type`.',
  body: { types: IMAGE_TYPES },
  answers: {
    201: answer('The image is stored.', Asset, ASSET, {
      Location: { description: 'Where the asset is read.', example: `/api/assets/${ASSET_ID}` },
    }),
  },
  problems: ['limit_reached', 'unsupported_media_type'],
});

function imageTypeOf(request: Request): ImageType {
  const sent = mediaType(request);
  const type = IMAGE_TYPES.find((known) => known === sent);
  if (!type) throw new ProblemError('unsupported_media_type', `Send the image as ${IMAGE_TYPES.join(', ')}.`);
  return type;
}

const FAULTS: Record<ImageFault, string> = {
  unknown: 'must be a PNG, JPEG or WebP file',
  damaged: 'must be a whole image; this one is cut off or damaged',
  animated: 'must be a still image; this one is animated',
  unsupported: 'must be a baseline or progressive JPEG',
};

/** Returns width and height in pixels. Throws a 400 problem that names the broken rule. */
function sizeOf(bytes: Uint8Array, contentType: ImageType): { width: number; height: number } {
  const header = readImageHeader(bytes);
  const wrong = (message: string) => invalidRequest([{ path: '', message }]);
  if (!header.ok) throw wrong(FAULTS[header.fault]);
  const { type, width, height } = header;
  if (type !== contentType) throw wrong(`must be ${contentType} as its Content-Type says; it is ${type}`);
  const fits = (side: number) => side >= 1 && side <= MAX_ASSET_SIDE;
  if (!fits(width) || !fits(height)) {
    throw wrong(`must be 1 to ${MAX_ASSET_SIDE} pixels wide and high; it is ${width}×${height}`);
  }
  return { width, height };
}
