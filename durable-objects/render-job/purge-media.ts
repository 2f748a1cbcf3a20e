import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/webhook.ts';

const TIMEOUT_MS = 10_000;

/**
 * Purges Cloudflare's caches of the files under a prefix of the bucket and of everything below the clip's address:
 * page, player, files and public record (Cloudflare API, "Purge Cached Content by prefix"). Does nothing without a
 * configured zone. Rejects if the zone refuses.
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
    // Without scheme and final slash.
    body: JSON.stringify({ prefixes: addresses.map((address) => address.replace(/^https?:\/\/|\/$/g, '')) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the purge of ${prefix} was answered with ${response.status}`);
}
