/**
 * Signs messages by Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA-256 over id, time and body, so that
 * receivers can check them with existing libraries.
 */
const SIGNED_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

const PREFIX = 'whsec_';
/** The most seconds that clocks may differ without a report. */
export const CLOCK_TOLERANCE_S = 60;

/** Returns text such as "90 s ahead of". `offS`: seconds that a clock is ahead of another, negative if behind. */
export function clockText(offS: number): string {
  return `${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'}`;
}

/** The most seconds that clocks may differ. An older message may be replayed by an attacker. */
const TOLERANCE_S = 5 * 60;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const encoder = new TextEncoder();

/** Formats a secret for receivers. */
export function formatSigningSecret(bytes: Uint8Array): string {
  return PREFIX + btoa(String.fromCharCode(...bytes));
}

/** Returns the bytes of a secret; null for an invalid one. */
export function readSigningSecret(text: string): Uint8Array<ArrayBuffer> | null {
  if (!text.startsWith(PREFIX)) return null;
  const bytes = readBase64(text.slice(PREFIX.length));
  return bytes === null || bytes.length < 24 ? null : bytes;
}

/**
 * Returns the headers of a message, signed under each secret of `formatSigningSecret`: several while one is being
 * replaced. `now` in milliseconds.
 */
export async function signedHeaders(
  secrets: string | readonly string[],
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: number },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = [secrets].flat().map(async (secret) => {
    const signed = await crypto.subtle.sign('HMAC', await keyOf(secret), signedText(id, timestamp, body));
    return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
  });
  return {
    [SIGNED_HEADERS.id]: id,
    [SIGNED_HEADERS.timestamp]: timestamp,
    [SIGNED_HEADERS.signature]: (await Promise.all(signatures)).join(' '),
  };
}

/** Whether a message has a valid, recent signature. Compares in constant time. `now` in milliseconds. */
export async function isSigned(
  secret: string,
  { header, body, now }: { header(name: string): string | null; readonly body: string; readonly now: number },
): Promise<boolean> {
  const id = header(SIGNED_HEADERS.id) ?? '';
  const timestamp = header(SIGNED_HEADERS.timestamp) ?? '';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const key = await keyOf(secret);
  // There may be several, while a secret is being replaced.
  for (const entry of (header(SIGNED_HEADERS.signature) ?? '').split(' ').slice(0, 8)) {
    const bytes = entry.startsWith('v1,') ? readBase64(entry.slice(3)) : null;
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signedText(id, timestamp, body)))) return true;
  }
  return false;
}

/** @throws for an invalid secret. */
function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = readSigningSecret(secret);
  if (bytes === null) throw new Error('this is no signing secret');
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify']);
}

function signedText(id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encoder.encode(`${id}.${timestamp}.${body}`));
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
