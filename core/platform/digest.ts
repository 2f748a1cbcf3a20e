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
