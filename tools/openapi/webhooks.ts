import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { COMPLETED_EVENT, DELIVERY_ID, FAILED_EVENT, RULE_ENDED_EVENT } from '#protocol/examples/client.ts';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER, RENDERER_HEADER, WebhookPayload } from '#protocol/job/webhook.ts';
import { only } from '#protocol/lib/operation-words.ts';
import { RuleEnded } from '#protocol/rule/rules.ts';

const DELIVERY_RULES =
  'Any 2xx within 10 seconds counts as delivered. Anything else, a redirect too, is tried again: ten attempts, fifteen minutes apart. A webhook can come twice and out of order; what `GET /api/jobs/{id}` says holds.';

/** The webhooks by event. A test checks `content` against its shape. */
export const WEBHOOKS = {
  'job.completed': {
    operationId: 'jobCompleted',
    summary: 'A job rendered its clip',
    description: `Sent once the clip can be watched. ${DELIVERY_RULES}`,
    content: { schema: WebhookPayload, examples: only(COMPLETED_EVENT) },
  },
  'job.failed': {
    operationId: 'jobFailed',
    summary: 'A job failed for good',
    description: `Sent when the job will never make a clip: at once for a lasting reason, after the last retry for a passing one. ${DELIVERY_RULES}`,
    content: { schema: WebhookPayload, examples: only(FAILED_EVENT) },
  },
  'rule.ended': {
    operationId: 'ruleEnded',
    summary: 'A rule made no clip of a demo',
    description: `Sent to the \`webhook_url\` of a rule when one of its runs has ended without a job. ${DELIVERY_RULES}`,
    content: { schema: RuleEnded, examples: only(RULE_ENDED_EVENT) },
  },
} as const;

const HEADERS = [
  {
    name: DELIVERY_ID_HEADER,
    description: 'Id of this webhook, the same in all its attempts. Drop what you have seen before.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: DELIVERY_ID,
  },
  {
    name: ATTEMPT_HEADER,
    description: 'Number of the attempt, from 1.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 10 },
    example: 1,
  },
  {
    name: RENDERER_HEADER,
    description: 'Renderer of the clip, if the radar made it. Other webhooks have no such header.',
    required: false,
    schema: { type: 'string' },
    example: 'radar',
  },
  ...(
    [
      ['webhook-id', 'The id of the delivery again, as Standard Webhooks name it.', DELIVERY_ID],
      ['webhook-timestamp', 'Time of this attempt, in seconds since the epoch.', '1777919502'],
      [
        'webhook-signature',
        'HMAC-SHA-256 of id, time and body under each of your secrets.',
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      ],
    ] as const
  ).map(([name, description, example]) => ({
    name,
    description: `${description} Sent only if the account has a secret.`,
    required: false,
    schema: { type: 'string' as const },
    example,
  })),
] as const;

/** Describes the webhooks. `Authorization` is a security scheme: OpenAPI ignores it as a header parameter. */
export function webhookPaths(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(WEBHOOKS).map(([event, { operationId, summary, description, content }]) => [
      event,
      {
        post: {
          operationId,
          tags: ['Webhooks'],
          summary,
          description,
          security: [{}, { webhookAuthHeader: [] }],
          parameters: HEADERS.map((header) => ({ ...header, in: 'header' as const })),
          requestBody: { required: true, content: { 'application/json': content } },
          responses: {
            '2XX': { description: 'The webhook counts as delivered.' },
            '4XX': { description: 'The webhook does not count as delivered, and is tried again.' },
            default: { description: 'The webhook does not count as delivered, and is tried again.' },
          },
        },
      },
    ]),
  );
}
