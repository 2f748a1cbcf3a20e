import { formatSigningSecret } from '#protocol/lib/signed-message.ts';

/** SHA-256 in lower-case hexadecimal. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Returns a function that computes HMAC-SHA-256 under one secret, which is imported once. */
export function hmacSha256(secret: string | Uint8Array<ArrayBuffer>): (text: string) => Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const bytes = typeof secret === 'string' ? encoder.encode(secret) : secret;
  const key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (text) => new Uint8Array(await crypto.subtle.sign('HMAC', await key, encoder.encode(text)));
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the secret that webhooks of an account are signed with. */
export function webhookSecretOf(deploymentSecret: string, accountId: string, secretId: string): Promise<string> {
  return derivedSecret(deploymentSecret, `webhook:${accountId}:${secretId}`);
}

/** Returns the secret that grants for a push host are signed with. See docs/decisions/023-push-hosts.md. */
export function pushSecretOf(deploymentSecret: string, hostId: string, tokenSha256: string): Promise<string> {
  return derivedSecret(deploymentSecret, `push-host:${hostId}:${tokenSha256}`);
}

/** Derives a signing secret from the deployment's secret, so that it is not stored. */
async function derivedSecret(deploymentSecret: string, name: string): Promise<string> {
  return formatSigningSecret(await hmacSha256(deploymentSecret)(name));
}

/** Returns the bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
