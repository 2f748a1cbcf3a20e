import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/webhook.ts';

const TIMEOUT_MS = 10_000;

/**
 * Has Cloudflare's caches forget the files under a prefix of the bucket, and everything below the clip's own address:
 * its page, its player, its files, the record that they are made of (Cloudflare API, "Purge Cached Content by prefix").
 * Nothing to do without a configured zone. Rejects when the zone did not accept it.
 */
export async function purgeMedia(
  { baseUrl, mediaBaseUrl, purge }: Pick<Settings, 'baseUrl' | 'mediaBaseUrl' | 'purge'>,
  prefix: string,
  clipId: string,
  api = 'https://api.cloudflare.com/client/v4',
): Promise<void> {
  if (purge === null) return;
  const addresses = [clipUrls(baseUrl, clipId).page, ...(mediaBaseUrl === null ? [] : [`${mediaBaseUrl}/${prefix}`])];
  const response = await fetch(`${api}/zones/${purge.zoneId}/purge_cache`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${purge.token}`, 'Content-Type': 'application/json' },
    // Named without their scheme and without a slash at their end.
    body: JSON.stringify({ prefixes: addresses.map((address) => address.replace(/^https?:\/\/|\/$/g, '')) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the purge of ${prefix} was answered with ${response.status}`);
}
