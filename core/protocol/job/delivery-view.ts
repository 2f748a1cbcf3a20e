import * as z from 'zod';
import type { Delivery, DeliveryStatus } from '#domain/job/delivery.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';

const STATUSES = ['queued', 'delivered', 'exhausted', 'canceled'] as const satisfies readonly DeliveryStatus[];

const AttemptView = z
  .object({
    attempt: field.integer('Number of the attempt, from 1.'),
    at: field.time('Time of the attempt, in UTC.'),
    http_status: field.integerOrNull('HTTP status of your receiver. Null if it did not answer.'),
    error: field.textOrNull('The reason why the attempt does not count as delivered. Null if it does.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver a webhook.' });

export const DeliveryView = z
  .object({
    id: field.uuid('Id of the webhook, as in `X-Service-Delivery-Id`.'),
    event: field.text('The kind of webhook: `job.completed` or `job.failed`. `discord` for the post of a rule.'),
    status: z
      .enum(STATUSES)
      .describe(
        'The state of the webhook. `queued` has another attempt, `delivered` was answered with a 2xx, `exhausted` has no attempt left, `canceled` was replaced by a re-run, or is a post that has nothing to send.',
      ),
    url: field.text('Address of the receiver. A Discord address is shown without its token.'),
    created_at: field.time('Time when the webhook was created, by an outcome or a resend.'),
    next_attempt_at: field.timeOrNull('Time of the next attempt. Null unless `queued`.'),
    wait_reason: field
      .text('Reason why the next attempt waits for a later hour: the budget that is used up. Absent without a wait.')
      .optional(),
    attempts: z.array(AttemptView).describe('All attempts, oldest first.'),
  })
  .meta({ id: 'Delivery', description: 'One webhook or post with its attempts.' });

/** The response of `GET /api/jobs/:id/deliveries`. */
export const DeliveryList = z
  .object({ deliveries: z.array(DeliveryView) })
  .meta({ id: 'DeliveryList', description: 'The webhooks of a job, oldest first.' });
export type DeliveryList = z.infer<typeof DeliveryList>;

/** A delivery with its attempts. Times are milliseconds since the epoch. */
export interface DeliveryRecord extends Pick<Delivery, 'id' | 'status' | 'createdAt' | 'nextAt'> {
  readonly event: string;
  readonly url: string;
  readonly waitReason: string | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly at: number;
    readonly status: number | null;
    readonly error: string | null;
  }[];
}

export function deliveryList(records: readonly DeliveryRecord[]): DeliveryList {
  return {
    deliveries: records.map(({ id, event, status, url, createdAt, nextAt, waitReason, attempts }) => ({
      id,
      event,
      status,
      url,
      created_at: isoTime(createdAt),
      next_attempt_at: isoTimeOrNull(nextAt),
      wait_reason: waitReason ?? undefined,
      attempts: attempts.map(({ attempt, at, status: httpStatus, error }) => ({
        attempt,
        at: isoTime(at),
        http_status: httpStatus,
        error,
      })),
    })),
  };
}

/** Contract 4.4. */
export const DeliveryRef = z
  .object({ delivery_id: field.uuid('Id of the new webhook, as in `X-Service-Delivery-Id`.') })
  .meta({ id: 'DeliveryRef', description: 'The new webhook of a resend.' });
