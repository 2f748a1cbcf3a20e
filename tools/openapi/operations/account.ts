import { IMAGE_TYPES } from '#domain/image-header.ts';
import { Asset, AssetList, AssetListQuery, AssetUploadQuery } from '#protocol/assets.ts';
import { JobSummary, Usage, UsageQuery } from '#protocol/lists.ts';
import { API_ROUTES, href } from '#protocol/routes.ts';
import { ViewingChanges, ViewingView } from '#protocol/viewing.ts';
import { WebhookSecretList, WebhookSecretOnce, WebhookTest, WebhookTested } from '#protocol/webhook-tools.ts';
import { ASSET, ASSET_ID, DELIVERY_ID, JOB_ID, LISTED_JOB } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const SECRET = {
  id: '6f0d3b92-8c41-4e7a-b5d6-1f29a7c0e853',
  hint: 'whsec_MfKQ9…KYqr',
  created_at: '2026-05-02T09:12:08.000Z',
};

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
      'Unless you have said otherwise, any site may embed them, nobody is told how often they were watched, and no page leads to another clip of yours.',
    answers: {
      200: {
        description: 'How they are shown.',
        content: { schema: ViewingView, examples: only({ embed_sites: null, show_views: false, show_more: false }) },
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
          examples: only({ embed_sites: ['example.com', '*.example.com'], show_views: false, show_more: false }),
        },
      },
    },
  },
  watchEvents: {
    tag: 'Events',
    summary: 'Follow all jobs',
    description:
      'Server-sent events: every change of a job of the account from now on, as `GET /api/jobs` lists it, in the order of the changes. A job that changes twice within some seconds may be sent once, in its last state. A comment every 15 seconds shows that the stream is open; it ends after ten minutes. Connect again with the last id as `Last-Event-ID`, and you miss no change: the stream begins with an id, before the first event.',
    headers: {
      'Last-Event-ID': {
        description: 'The id of the last event that was seen; without it, what changes from now on.',
        example: `1777919502118_${JOB_ID}`,
      },
    },
    answers: {
      200: {
        description: 'A stream of events.',
        content: { eventSchema: JobSummary, events: [LISTED_JOB] },
      },
    },
    problems: ['invalid_request', 'limit_reached'],
  },
  listWebhookSecrets: {
    tag: 'Events',
    summary: 'List the secrets of webhooks',
    description: 'Those that your webhooks are signed with; the secrets themselves are not told again.',
    answers: {
      200: {
        description: 'The secrets.',
        content: { schema: WebhookSecretList, examples: only({ secrets: [SECRET] }) },
      },
    },
  },
  createWebhookSecret: {
    tag: 'Events',
    summary: 'Have webhooks signed',
    description:
      'From now on, within 30 seconds, webhooks of the account carry the headers of Standard Webhooks beside their own: `webhook-id` (the delivery), `webhook-timestamp` and `webhook-signature`. Its libraries check them with this secret. Two may be live, so that one can be replaced: each webhook is then signed under both.',
    answers: {
      201: {
        description: 'The secret is made.',
        content: {
          schema: WebhookSecretOnce,
          examples: only({ ...SECRET, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr' }),
        },
      },
    },
    problems: ['limit_reached'],
  },
  deleteWebhookSecret: {
    tag: 'Events',
    summary: 'Delete a secret of webhooks',
    description: 'Within 30 seconds nothing is signed with it. Without any, webhooks are unsigned again.',
    answers: { 204: { description: 'The secret is deleted.' } },
  },
  testWebhook: {
    tag: 'Events',
    summary: 'Try a receiver',
    description:
      'Posts a webhook about a job that there is not, once and at once, and says what your receiver made of it. It has all headers that a real one has, the signatures too; `extras` is `{"test": true}`.',
    request: { schema: WebhookTest, examples: only({ webhook_url: 'https://app.example.com/hooks/tickreel' }) },
    answers: {
      200: {
        description: 'What became of it.',
        content: {
          schema: WebhookTested,
          examples: only({
            delivery_id: DELIVERY_ID,
            delivered: true,
            http_status: 204,
            error: null,
            duration_ms: 84,
            signatures: 1,
          }),
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
