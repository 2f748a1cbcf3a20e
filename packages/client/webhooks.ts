import { isSigned, readSigningSecret } from '#protocol/lib/signed-message.ts';
import { TickreelError } from './errors.ts';
import type { Methods } from './operations.ts';
import type { AccountMethods, RuleEnded, WebhookEvent } from './shapes.ts';
import { environment } from './transport.ts';

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
/** A job that has failed for good. */
export type JobFailed = WebhookEvent & {
  readonly event: 'job.failed';
  readonly status: 'error';
  readonly clip_id: null;
  readonly error_code: string;
};
export type Webhook = JobCompleted | JobFailed | RuleEnded;

const EVENTS: readonly unknown[] = ['job.completed', 'job.failed', 'rule.ended'] satisfies Webhook['event'][];

/** Headers of the platform, Node's object of them, or pairs of names and values. */
export type AnyHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/**
 * The secrets that sign webhooks: several while one replaces another. `insecure` accepts unsigned webhooks from
 * anybody.
 */
export type WebhookSecret = string | readonly string[] | { readonly insecure: true };

export interface Webhooks {
  /**
   * Checks who sent a webhook, and parses it. `raw` is the unchanged body, byte by byte. `secret` defaults to the
   * secret of the client or of `createWebhooks`. Rejects with a `TypeError` if there is no secret at all, or if the
   * body is parsed. Rejects with `webhook_invalid` if the signature or the time is wrong, or the body is not a webhook
   * of this service.
   */
  unwrap(raw: string | Uint8Array, headers: AnyHeaders, secret?: WebhookSecret): Promise<Webhook>;
  /** Returns the id by which to ignore a repeated webhook, or null. */
  deliveryId(headers: AnyHeaders): string | null;
}

/** Further calls of an account: secrets, and tests of a receiver. */
export type AccountWebhooks = Webhooks & Methods<AccountMethods['webhooks']>;

const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const DELIVERY_ID_HEADER = 'x-service-delivery-id';

/**
 * Creates a receiver of webhooks without a client. `secret` defaults to `TICKREEL_WEBHOOK_SECRET` of the environment.
 */
export function createWebhooks(
  ownSecret: WebhookSecret | undefined = environment('TICKREEL_WEBHOOK_SECRET'),
): Webhooks {
  return {
    async unwrap(raw, headers, secret = ownSecret) {
      if (!secret) {
        throw new TypeError(
          'Give a webhook secret, or set TICKREEL_WEBHOOK_SECRET in the environment; { insecure: true } takes unsigned webhooks.',
        );
      }
      const body = textOf(raw);
      if (!isInsecure(secret)) await checkSignature(body, pairsOf(headers), [secret].flat());
      const read = parse(body);
      if (!EVENTS.includes(read.event)) throw invalid('The body is no webhook.');
      return read as Webhook;
    },
    deliveryId: (headers) => headerOf(pairsOf(headers), DELIVERY_ID_HEADER),
  };
}

function textOf(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (ArrayBuffer.isView(raw) || raw instanceof ArrayBuffer) return new TextDecoder().decode(raw);
  throw new TypeError('Pass the raw body as text or bytes, not the parsed body: the signature is of the raw bytes.');
}

function isInsecure(secret: WebhookSecret): secret is { readonly insecure: true } {
  return Object(secret).insecure === true;
}

async function checkSignature(body: string, headers: Pairs, secrets: readonly string[]): Promise<void> {
  const message = { header: (name: string) => headerOf(headers, name), body, now: Date.now() };
  const missing = SIGNED_HEADERS.find((name) => !headerOf(headers, name));
  if (missing !== undefined)
    throw invalid(`The header ${missing} is missing: the webhook is unsigned, or a proxy removed it.`);
  for (const secret of secrets.map((text) => text.trim())) {
    if (readSigningSecret(secret) === null) throw invalid('This is no webhook secret: one begins with whsec_.');
    if (await isSigned(secret, message)) return;
  }
  throw invalid('The webhook is not signed under this secret, or its time is too far from now.');
}

function parse(body: string): Partial<Webhook> {
  try {
    return Object(JSON.parse(body));
  } catch {
    throw invalid('The body is no JSON.');
  }
}

type Pairs = readonly (readonly [name: string, value: string | readonly string[] | undefined])[];

/** Reads an iterator once: a second look-up would find nothing in it. */
function pairsOf(headers: AnyHeaders): Pairs {
  return Symbol.iterator in headers ? [...headers] : Object.entries(headers);
}

function headerOf(headers: Pairs, name: string): string | null {
  const [, value] = headers.find(([key]) => key.toLowerCase() === name) ?? [];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

const invalid = (message: string) => new TickreelError('webhook_invalid', message);
