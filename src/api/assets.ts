import { assetKey } from '#domain/job/storage-keys.ts';
import { IMAGE_TYPES, type ImageFault, readImageHeader } from '#domain/lib/image-header.ts';
import { readSoundHeader, SOUND_TYPES, type SoundFault } from '#domain/lib/sound-header.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { bodyMemories, mediaType } from '#http/read-body.ts';
import {
  Asset,
  AssetList,
  AssetListQuery,
  AssetUploadQuery,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_SIDE,
  MAX_MUSIC_BYTES,
  MAX_MUSIC_SECONDS,
} from '#protocol/account/assets.ts';
import { ASSET, ASSET_ID } from '#protocol/examples/client.ts';
import { pageOf } from '#protocol/lib/lists.ts';
import { href } from '#protocol/lib/routes.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { answer, located, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { sizedBody, storeBody } from '#service/lib/store-body.ts';
import {
  type AssetFacts,
  findAssets,
  insertAsset,
  markAssetDeleted,
  removeAssets,
  showAsset,
} from '#storage/account/assets.ts';
import { selectAssets } from '#storage/lib/lists.ts';
import type { AssetRow } from '#storage/schema/schema.ts';

/** Returns an asset as its account sees it. */
function assetView(row: Omit<AssetRow, 'deletedAt'>): Asset {
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

/**
 * Answers 415 for a type that is none of the kind, 413 for too many bytes, and 400 with the rule that the file breaks.
 * `curl -X POST "$BASE_URL/api/assets?kind=watermark&name=logo" -H "Authorization: Bearer $KEY" -H "Content-Type:
 * image/png" --data-binary @logo.png`
 */
export const uploadAsset = operation({
  route: 'POST /api/assets',
  scope: 'account:manage',
  diskShare: 1,
  query: AssetUploadQuery,
  answers: { 201: Asset },
  handler: async (service, { caller, request, query, waitUntil, reply }) => {
    const { database, settings, now } = service;
    await service.limits.file_writes.take(caller.keyId);
    await takeRate(service, caller, 'uploads');
    const { kind, name = null } = query();
    const isMusic = kind === 'music';
    const contentType = typeOf(request, isMusic ? SOUND_TYPES : IMAGE_TYPES);
    const { body, bytes } = await sizedBody(request, isMusic ? MAX_MUSIC_BYTES : MAX_IMAGE_BYTES);
    const asset = {
      id: crypto.randomUUID(),
      accountId: caller.accountId,
      kind,
      name,
      contentType,
      bytes,
      createdAt: now(),
    };
    const limits = { ...settings.limits, ...caller.limits };
    if (!(await insertAsset(database, asset, limits))) {
      const { assets, asset_mib: mib } = limits;
      const most = `${assets} assets and ${mib} MiB of them`;
      throw limitReached(`An account may have ${most}; one that was deleted counts for another day.`);
    }
    const stored = storeAsset(service, asset, request, body);
    waitUntil(stored.catch(() => {}));
    return reply(201, assetView({ ...asset, ...(await stored) }), { Location: href(getAsset.route, { id: asset.id }) });
  },
});

/**
 * Stores the file of a hidden asset while it arrives, reads it back, and shows the asset. Removes both if the file is
 * wrong or breaks off; if it is interrupted, the cron does.
 */
async function storeAsset(
  { database, images }: Pick<Service, 'database' | 'images'>,
  { id, accountId, kind, contentType, bytes }: Pick<AssetRow, 'id' | 'accountId' | 'kind' | 'contentType' | 'bytes'>,
  request: Request,
  body: ReadableStream<Uint8Array>,
): Promise<AssetFacts> {
  const key = assetKey(accountId, id);
  try {
    await storeBody(body, bytes, (stream) => images.put(key, stream, contentType));
    await waitForMemory(request, bytes);
    const file = new Uint8Array((await (await images.get(key))?.arrayBuffer()) ?? new ArrayBuffer(0));
    const { type, ...facts } = kind === 'music' ? readMusic(file) : readImage(file);
    if (type !== contentType) throw wrong(`must be ${contentType} as its Content-Type says; it is ${type}`);
    if (await showAsset(database, id, facts)) return facts;
    // The account is being erased.
    throw notFound();
  } catch (error) {
    await images
      .delete([key])
      .then(() => removeAssets(database, [id]))
      .catch(() => {});
    throw error;
  }
}

/** Counts a file that is read back. Others are read within a second, so at a limit it tries for half a minute. */
async function waitForMemory(request: Request, bytes: number, tries = 300): Promise<void> {
  try {
    bodyMemories.get(request)?.take(bytes);
  } catch (error) {
    if (tries === 0) throw error;
    await scheduler.wait(100);
    await waitForMemory(request, bytes, tries - 1);
  }
}

/** Returns what the body is to be. Throws a 415 problem for a type that is none of the kind. */
function typeOf<T extends string>(request: Request, types: readonly T[]): T {
  // Some browsers send audio/x-wav, audio/x-flac, audio/mp3, application/ogg or video/ogg.
  const sent = mediaType(request)
    ?.replace(/^(application|video)(?=\/ogg)/, 'audio')
    .replace('/x-', '/')
    .replace('audio/mp3', 'audio/mpeg');
  const type = types.find((known) => known === sent);
  if (!type) throw new ProblemError('unsupported_media_type', `Send this kind of asset as ${types.join(', ')}.`);
  return type;
}

const IMAGE_FAULTS: Record<ImageFault, string> = {
  unknown: 'must be a PNG, JPEG or WebP file',
  damaged: 'must be a whole image; this one is cut off or damaged',
  animated: 'must be a still image; this one is animated',
  unsupported: 'must be a baseline or progressive JPEG',
};

const SOUND_FAULTS: Record<SoundFault, string> = {
  unknown: 'must be a WAV, MP3, FLAC or OGG file',
  damaged: 'must be a whole file that states its length; this one is cut off or damaged',
  unsupported: 'must be uncompressed in WAV, and one stream of Vorbis or Opus in OGG',
};

const wrong = (message: string) => invalidRequest([{ path: '', message }]);

/** Returns type and size of an image. Throws a problem that names the broken rule. */
function readImage(bytes: Uint8Array) {
  const header = readImageHeader(bytes);
  if (!header.ok) throw wrong(IMAGE_FAULTS[header.fault]);
  const { type, width, height } = header;
  const fits = (side: number) => side >= 1 && side <= MAX_IMAGE_SIDE;
  if (!fits(width) || !fits(height)) {
    throw wrong(`must be 1 to ${MAX_IMAGE_SIDE} pixels wide and high; it is ${width}×${height}`);
  }
  return { type, width, height, seconds: null };
}

/** Returns type and length of music. Throws a problem that names the broken rule. */
function readMusic(bytes: Uint8Array) {
  const header = readSoundHeader(bytes);
  if (!header.ok) throw wrong(SOUND_FAULTS[header.fault]);
  const { type, seconds } = header;
  if (seconds > MAX_MUSIC_SECONDS) throw wrong(`must be at most ${MAX_MUSIC_SECONDS} seconds long; it is ${seconds}`);
  return { type, width: null, height: null, seconds };
}

export const listAssets = operation({
  route: 'GET /api/assets',
  scope: 'account:read',
  query: AssetListQuery,
  answers: { 200: AssetList },
  handler: async ({ database }, { caller, query, reply }) => {
    const asked = query();
    const { rows, next_cursor } = pageOf(await selectAssets(database, caller.accountId, asked), asked.limit);
    return reply(200, { assets: rows.map(assetView), next_cursor });
  },
});

export const getAsset = operation({
  route: 'GET /api/assets/:id',
  scope: 'account:read',
  answers: { 200: Asset },
  handler: async ({ database }, { caller, params, reply }) => {
    const [asset] = await findAssets(database, caller.accountId, [params.id]);
    if (!asset) throw notFound();
    return reply(200, assetView(asset));
  },
});

/**
 * Deletes an asset. Its file stays for a day (`src/cron/upkeep.ts`), because accepted jobs may draw it. A later job fails
 * with `render_failed`.
 */
export const deleteAsset = operation({
  route: 'DELETE /api/assets/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: async ({ database, now }, { caller, params, reply }) => {
    if (!(await markAssetDeleted(database, caller.accountId, params.id, now()))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  uploadAsset: {
    summary: 'Upload an image or music',
    description:
      'The body is the file. An image (watermark, intro, outro) is one still PNG, JPEG or WebP of at most 5 MiB and 4096 pixels each way. Music is a WAV, MP3, FLAC or OGG (Vorbis, Opus) of at most 20 MiB and 10 minutes; you answer for the right to use it. A file of more than 1 MiB needs a `Content-Length`. The service reads the file and refuses one that is cut off, animated, or of another type than its `Content-Type`.',
    body: { types: [...IMAGE_TYPES, ...SOUND_TYPES] },
    answers: {
      201: answer('The file is stored.', ASSET, located('Address of the new asset.', `/api/assets/${ASSET_ID}`)),
    },
    problems: ['length_required', 'limit_reached', 'unsupported_media_type'],
  },
  listAssets: {
    summary: 'List assets',
    description: 'Returns assets, newest first.',
    answers: { 200: answer('A page of assets.', { assets: [ASSET], next_cursor: null }) },
  },
  getAsset: {
    summary: 'Read an asset',
    description: 'Returns kind, type, and size or length of the asset. The file itself cannot be downloaded.',
    answers: { 200: answer('The asset without its file.', ASSET) },
  },
  deleteAsset: {
    summary: 'Delete an asset',
    description:
      'Deletes the asset: new jobs cannot name it. Accepted jobs can use it for another day. Rendered clips stay as they are.',
    answers: { 204: { description: 'The asset is deleted.' } },
  },
});
