import { hmacSha256 } from '#platform/digest.ts';
import { formatSigningSecret } from '#protocol/signed-message.ts';

/** A signing secret that is computed from the deployment's, and kept nowhere. `name` says what it is for, and whose. */
export async function derivedSecret(deploymentSecret: string, name: string): Promise<string> {
  return formatSigningSecret(await hmacSha256(deploymentSecret)(name));
}

/** What webhooks of an account are signed with under one of its secrets. See docs/decisions/032. */
export function webhookSecretOf(deploymentSecret: string, accountId: string, secretId: string): Promise<string> {
  return derivedSecret(deploymentSecret, `webhook:${accountId}:${secretId}`);
}
