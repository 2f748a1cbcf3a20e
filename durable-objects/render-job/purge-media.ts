import { CLIP_FILE_NAMES } from '../../domain/storage-keys.ts';
import type { Settings } from '../../platform/settings.ts';

const TIMEOUT_MS = 10_000;

/**
 * Has the media host's cache forget the files under a prefix of the bucket (Cloudflare API, "Purge Cached Content by
 * URL"). Nothing to do without a configured zone. Rejects when the zone did not accept it.
 */
export async function purgeMedia(
  { mediaBaseUrl, purge }: Pick<Settings, 'mediaBaseUrl' | 'purge'>,
  prefix: string,
  api = 'https://api.cloudflare.com/client/v4',
): Promise<void> {
  if (mediaBaseUrl === null || purge === null) return;
  const response = await fetch(`${api}/zones/${purge.zoneId}/purge_cache`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${purge.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ files: Object.values(CLIP_FILE_NAMES).map((name) => `${mediaBaseUrl}/${prefix}${name}`) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the purge of ${prefix} was answered with ${response.status}`);
}
