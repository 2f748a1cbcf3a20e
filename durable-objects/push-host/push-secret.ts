import { hmacSha256 } from '../../platform/digest.ts';
import { formatSigningSecret } from '../../protocol/signed-message.ts';

/**
 * The secret that grants for a host are signed with: computed from the deployment's, and kept nowhere. It changes with
 * the host's token. See docs/decisions/023-push-hosts.md.
 */
export async function pushSecretOf(deploymentSecret: string, hostId: string, tokenSha256: string): Promise<string> {
  return formatSigningSecret(await hmacSha256(deploymentSecret)(`push-host:${hostId}:${tokenSha256}`));
}
