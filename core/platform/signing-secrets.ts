import { formatSigningSecret } from '#protocol/lib/signed-message.ts';
import { hmacSha256 } from './digest.ts';

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
