import { isSigned, readSigningSecret } from '../protocol/signed-message.ts';
import { TickreelError } from './errors.ts';
import type { WebhookEvent } from './shapes.ts';

/** A clip is ready. */
export type JobCompleted = WebhookEvent & {
  readonly event: 'job.completed';
  readonly status: 'processed';
  readonly clip_id: string;
  readonly clip_url: string;
  readonly video_url: string;
  readonly thumbnail_url: string;
  readonly clip_duration: number;
  readonly error_code: null;
};
/** A job will never make a clip. */
export type JobFailed = WebhookEvent & {
  readonly event: 'job.failed';
  readonly status: 'error';
  readonly clip_id: null;
  readonly error_code: string;
};
export type Webhook = JobCompleted | JobFailed;

/** Headers as servers have them: the platform's own, or Node's object of them. */
export type AnyHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Webhooks {
  /**
   * Reads a webhook, and checks who sent it where there is a secret: here, or as `webhookSecret` of the client. `raw`
   * is the body as it came, byte by byte. Several secrets are good while one replaces another. Rejects with
   * `webhook_invalid` where the signature or the time is wrong, or the body is none of ours.
   */
  unwrap(raw: string | Uint8Array, headers: AnyHeaders, secret?: string | readonly string[]): Promise<Webhook>;
  /** The id by which to drop a webhook that came before; null without one. */
  deliveryId(headers: AnyHeaders): string | null;
}

const DELIVERY_ID_HEADER = 'x-service-delivery-id';

export function createWebhooks(ownSecret: string | undefined): Webhooks {
  return {
    async unwrap(raw, headers, secret = ownSecret) {
      const body = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
      const secrets = secret === undefined ? [] : [secret].flat();
      if (secret !== undefined) await checkSignature(body, headers, secrets);
      const read = parse(body);
      if (read.event !== 'job.completed' && read.event !== 'job.failed') throw invalid('The body is no webhook.');
      return read as Webhook;
    },
    deliveryId: (headers) => headerOf(headers, DELIVERY_ID_HEADER),
  };
}

async function checkSignature(body: string, headers: AnyHeaders, secrets: readonly string[]): Promise<void> {
  const message = { header: (name: string) => headerOf(headers, name), body, now: Date.now() };
  for (const secret of secrets) {
    if (readSigningSecret(secret) === null) throw invalid('The webhook secret is none: it begins with whsec_.');
    if (await isSigned(secret, message)) return;
  }
  throw invalid('The webhook is not signed under this secret, or not of now.');
}

function parse(body: string): Partial<WebhookEvent> {
  try {
    return Object(JSON.parse(body));
  } catch {
    throw invalid('The body is no JSON.');
  }
}

function headerOf(headers: AnyHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as Headers).get(name);
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

const invalid = (message: string) => new TickreelError('webhook_invalid', message);
