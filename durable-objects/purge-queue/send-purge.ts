import type { Settings } from '#platform/settings.ts';
import { clipUrls, replayUrl } from '#protocol/lib/routes.ts';
import { callOut } from '#service/lib/call-out.ts';

/** The most addresses in one request. https://developers.cloudflare.com/cache/how-to/purge-cache/ */
const MOST_ADDRESSES = 100;
const TIMEOUT_MS = 10_000;
/** Milliseconds until the next request if the zone names no time. */
const AGAIN_MS = 60_000;

/** Why the zone has not purged its caches, and the milliseconds until the next try; null if it has. */
export type PurgeRefusal = { readonly why: string; readonly waitMs: number } | null;

type PurgeSettings = Pick<Settings, 'baseUrl' | 'mediaBaseUrl' | 'purge'> & Parameters<typeof callOut>[1];

/**
 * Returns how many prefixes one request may have: each is two addresses here and, if there is a media host, one there.
 */
export function mostPrefixes({ mediaBaseUrl }: Pick<Settings, 'mediaBaseUrl'>): number {
  return Math.floor(MOST_ADDRESSES / (mediaBaseUrl === null ? 2 : 3));
}

/**
 * Purges Cloudflare's caches of the files under prefixes of the bucket, and of everything below the addresses of their
 * clips and replays: pages, players, files and public record (Cloudflare API, "Purge Cached Content by prefix"). Never
 * rejects.
 */
export async function sendPurge(
  settings: PurgeSettings,
  prefixes: readonly string[],
  api = 'https://api.cloudflare.com/client/v4',
): Promise<PurgeRefusal> {
  const { baseUrl, mediaBaseUrl, purge } = settings;
  if (purge === null) return { why: 'PURGE_ZONE_ID and PURGE_TOKEN are not set', waitMs: AGAIN_MS };
  const addresses = prefixes.flatMap((prefix) => [
    clipUrls(baseUrl, prefix.split('/')[1] ?? '').page,
    replayUrl(baseUrl, prefix.split('/')[1] ?? ''),
    ...(mediaBaseUrl === null ? [] : [`${mediaBaseUrl}/${prefix}`]),
  ]);
  // Without scheme and final slash.
  const bare = new Set(addresses.map((address) => address.replace(/^https?:\/\/|\/$/g, '')));
  const answer = await callOut(
    {
      url: `${api}/zones/${purge.zoneId}/purge_cache`,
      headers: { Authorization: `Bearer ${purge.token}` },
      body: JSON.stringify({ prefixes: [...bare] }),
      timeoutMs: TIMEOUT_MS,
      hop: 'purge',
    },
    settings,
  );
  if (answer.status === null) return { why: answer.why, waitMs: AGAIN_MS };
  if (answer.status < 300) return null;
  return { why: `status ${answer.status}`, waitMs: Number(answer.retryAfter) * 1000 || AGAIN_MS };
}
