import { derivedSecret } from '../derived-secret.ts';

/**
 * The secret that grants for a host are signed with: it changes with the host's token. See
 * docs/decisions/023-push-hosts.md.
 */
export function pushSecretOf(deploymentSecret: string, hostId: string, tokenSha256: string): Promise<string> {
  return derivedSecret(deploymentSecret, `push-host:${hostId}:${tokenSha256}`);
}
