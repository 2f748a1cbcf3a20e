import { formatSigningSecret } from '../../protocol/signed-message.ts';

/**
 * The secret that grants for a host are signed with: computed from the deployment's, and kept nowhere. It changes with
 * the host's token. See docs/decisions/023-push-hosts.md.
 */
export async function pushSecretOf(deploymentSecret: string, hostId: string, tokenSha256: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(deploymentSecret), hmac, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(`push-host:${hostId}:${tokenSha256}`));
  return formatSigningSecret(new Uint8Array(signed));
}
