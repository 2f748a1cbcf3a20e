import { IMAGE_TYPES } from '../../domain/image-header.ts';
import { Asset, AssetList, AssetListQuery, AssetUploadQuery } from '../../protocol/assets.ts';
import { Usage, UsageQuery } from '../../protocol/lists.ts';
import { API_ROUTES, href } from '../../protocol/routes.ts';
import { ViewingChanges, ViewingView } from '../../protocol/viewing.ts';
import { ASSET, ASSET_ID } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

export const ACCOUNT_OPERATIONS = {
  uploadAsset: {
    tag: 'Assets',
    summary: 'Upload an image',
    description:
      'The body is the file itself: one still PNG, JPEG or WebP of at most 5 MiB and 4096 pixels each way. The service looks into the file and refuses one that is cut off, animated, or not what its `Content-Type` says.',
    query: AssetUploadQuery,
    request: { types: IMAGE_TYPES },
    answers: {
      201: {
        description: 'The image is stored.',
        content: { schema: Asset, examples: only(ASSET) },
        headers: {
          Location: { description: 'Where the asset is read.', example: href(API_ROUTES.getAsset, { id: ASSET_ID }) },
        },
      },
    },
    problems: ['limit_reached', 'unsupported_media_type'],
  },
  listAssets: {
    tag: 'Assets',
    summary: 'List images',
    description: 'Newest first.',
    query: AssetListQuery,
    answers: {
      200: {
        description: 'A page of assets.',
        content: { schema: AssetList, examples: only({ assets: [ASSET], next_cursor: null }) },
      },
    },
  },
  getAsset: {
    tag: 'Assets',
    summary: 'Read what is known of an image',
    description: 'Its kind, type and size. The file itself is not given out again.',
    answers: { 200: { description: 'The asset.', content: { schema: Asset, examples: only(ASSET) } } },
  },
  deleteAsset: {
    tag: 'Assets',
    summary: 'Delete an image',
    description:
      'No new job can name it from now on. Jobs that were accepted before can still draw it for a day. Clips already rendered stay as they are.',
    answers: { 204: { description: 'The asset is deleted.' } },
  },
  getViewing: {
    tag: 'Viewing',
    summary: 'Read how your clips are shown',
    description:
      'Unless you have said otherwise, any site may embed them, and nobody is told how often they were watched.',
    answers: {
      200: {
        description: 'How they are shown.',
        content: { schema: ViewingView, examples: only({ embed_sites: null, show_views: false }) },
      },
    },
  },
  changeViewing: {
    tag: 'Viewing',
    summary: 'Change how your clips are shown',
    description:
      'Counts for clips that are made from now on, and within some minutes for those there are. Browsers keep other sites from embedding a player and from loading files; a program that is no browser can say what it likes, and whoever may watch a clip can copy it.',
    request: {
      schema: ViewingChanges,
      examples: only({ embed_sites: ['example.com', '*.example.com'] }),
    },
    answers: {
      200: {
        description: 'How they are shown from now on.',
        content: {
          schema: ViewingView,
          examples: only({ embed_sites: ['example.com', '*.example.com'], show_views: false }),
        },
      },
    },
  },
  getUsage: {
    tag: 'Usage',
    summary: 'Count rendered seconds',
    description:
      'Seconds of clip by tier, resolution and frame rate, with clips that are deleted by now. Each run counts that succeeded.',
    query: UsageQuery,
    answers: {
      200: {
        description: 'The sums.',
        content: {
          schema: Usage,
          examples: only({
            from: '2026-05-01T00:00:00.000Z',
            to: '2026-06-01T00:00:00.000Z',
            usage: [
              { tier: 'metered', resolution: 1080, fps: 60, rendered_seconds: 5482.25 },
              { tier: 'reserved', resolution: 1440, fps: 60, rendered_seconds: 912.5 },
            ],
          }),
        },
      },
    },
  },
} as const satisfies Partial<Record<keyof typeof API_ROUTES, OperationDoc>>;
