import * as z from 'zod';
import type { Delivery, DeliveryStatus } from '#domain/delivery.ts';
import { isoTime, isoTimeOrNull } from './job-view.ts';

const STATUSES = ['queued', 'delivered', 'exhausted', 'canceled'] as const satisfies readonly DeliveryStatus[];

const AttemptView = z
  .object({
    attempt: z.int().meta({ description: 'Its number, from 1.' }),
    at: z.iso.datetime().meta({ description: 'When it was made.' }),
    http_status: z.int().nullable().meta({ description: 'What your receiver answered; null if it did not.' }),
    error: z.string().nullable().meta({ description: 'Why it does not count as delivered; null if it does.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver a webhook.' });

export const DeliveryView = z
  .object({
    id: z.uuid().meta({ description: 'As in `X-Service-Delivery-Id`.' }),
    event: z.string().meta({ description: '`job.completed` or `job.failed`; `discord` for the post of a rule.' }),
    status: z.enum(STATUSES).meta({
      description:
        '`queued` has an attempt to come, `delivered` was answered with a 2xx, `exhausted` is out of attempts, `canceled` was replaced by a re-run; a post then has nothing to send any more.',
    }),
    url: z.string().meta({ description: 'Where it goes. A Discord address has no token here.' }),
    created_at: z.iso.datetime().meta({ description: 'When the outcome, or the resend, made it.' }),
    next_attempt_at: z.iso.datetime().nullable().meta({ description: 'When it is tried next; null unless `queued`.' }),
    attempts: z.array(AttemptView).meta({ description: 'Every attempt made, first to last.' }),
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
  .object({ delivery_id: z.uuid().meta({ description: 'What the webhook carries in `X-Service-Delivery-Id`.' }) })
  .meta({ id: 'DeliveryRef', description: 'Names a webhook.' });
