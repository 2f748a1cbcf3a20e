import * as z from 'zod';
import type { Delivery, DeliveryStatus } from '#domain/job/delivery.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';

const STATUSES = ['queued', 'delivered', 'exhausted', 'canceled'] as const satisfies readonly DeliveryStatus[];

const AttemptView = z
  .object({
    attempt: z.int().meta({ description: 'Number of the attempt, from 1.' }),
    at: z.iso.datetime().meta({ description: 'Time of the attempt, in UTC.' }),
    http_status: z.int().nullable().meta({ description: 'HTTP status of your receiver. Null if it did not answer.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'The reason why the attempt does not count as delivered. Null if it does.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver a webhook.' });

export const DeliveryView = z
  .object({
    id: z.uuid().meta({ description: 'Id of the webhook, as in `X-Service-Delivery-Id`.' }),
    event: z
      .string()
      .meta({ description: 'The kind of webhook: `job.completed` or `job.failed`. `discord` for the post of a rule.' }),
    status: z.enum(STATUSES).meta({
      description:
        'The state of the webhook. `queued` has another attempt, `delivered` was answered with a 2xx, `exhausted` has no attempt left, `canceled` was replaced by a re-run, or is a post that has nothing to send.',
    }),
    url: z.string().meta({ description: 'Address of the receiver. A Discord address is shown without its token.' }),
    created_at: z.iso.datetime().meta({ description: 'Time when the webhook was created, by an outcome or a resend.' }),
    next_attempt_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time of the next attempt. Null unless `queued`.' }),
    attempts: z.array(AttemptView).meta({ description: 'All attempts, oldest first.' }),
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
  readonly attempts: readonly {
    readonly attempt: number;
    readonly at: number;
    readonly status: number | null;
    readonly error: string | null;
  }[];
}

export function deliveryList(records: readonly DeliveryRecord[]): DeliveryList {
  return {
    deliveries: records.map(({ id, event, status, url, createdAt, nextAt, attempts }) => ({
      id,
      event,
      status,
      url,
      created_at: isoTime(createdAt),
      next_attempt_at: isoTimeOrNull(nextAt),
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
  .object({ delivery_id: z.uuid().meta({ description: 'Id of the new webhook, as in `X-Service-Delivery-Id`.' }) })
  .meta({ id: 'DeliveryRef', description: 'The new webhook of a resend.' });
