/** Enough that no two are alike by chance. */
const KEY_BYTES = 16;

/**
 * Names the demo of an account to hosts and to the queue. Without the deployment's secret nobody can tell from it which
 * account or which address it stands for, nor whether two accounts have the same demo. Another query is another demo.
 */
export async function demoKeyOf(secret: string, accountId: string, demoUrl: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
  // Clips' ids are made under the same secret, from words that begin with a digit.
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(`demo ${accountId} ${demoUrl}`));
  return [...new Uint8Array(signed, 0, KEY_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
