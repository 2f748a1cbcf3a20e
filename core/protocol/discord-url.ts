import type { AddressPolicy } from '#domain/address-policy.ts';
import { isLoopback } from '#domain/public-host.ts';

/** A webhook of a Discord channel. The token is a secret: whoever has it can post. */
export interface DiscordTarget {
  readonly origin: string;
  readonly id: string;
  readonly token: string;
  /** A thread of the channel. */
  readonly threadId: string | null;
}

/**
 * Hosts of Discord's API: the two of the release, and those that its documents name beside it
 * (discord/discord-api-docs c98d64bc, developers/activities/development-guides/local-development.mdx, "Exceptions").
 */
const HOSTS: readonly string[] = ['discord.com', 'discordapp.com', 'canary.discord.com', 'ptb.discord.com'];

const PATH = /^\/api(?:\/v10)?\/webhooks\/(\d{1,20})\/([\w-]{1,200})$/;
const QUERY = /^(?:\?thread_id=(\d{1,20}))?$/;

/**
 * Reads the address of a Discord webhook, as the settings of a channel show it. Returns null for any other address. A
 * service that may call private addresses also accepts loopback, for a stand-in.
 */
export function discordTarget(
  text: string,
  { allowPrivateAddresses }: Pick<AddressPolicy, 'allowPrivateAddresses'>,
): DiscordTarget | null {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.hash) return null;
  const isDiscord = url.protocol === 'https:' && url.port === '' && HOSTS.includes(url.hostname);
  if (!isDiscord && !(allowPrivateAddresses && isLoopback(url.hostname))) return null;
  const [, id, token] = PATH.exec(url.pathname) ?? [];
  const query = QUERY.exec(url.search);
  return id && token && query ? { origin: url.origin, id, token, threadId: query[1] ?? null } : null;
}

/**
 * Returns the address that a message is posted to. With `wait`, Discord answers after the message is saved. Without a
 * version in the path it would use an older, deprecated one.
 */
export function discordPostUrl({ origin, id, token, threadId }: DiscordTarget): string {
  const thread = threadId === null ? '' : `&thread_id=${threadId}`;
  return `${origin}/api/v10/webhooks/${id}/${token}?wait=true${thread}`;
}

/** Returns the address without its token, for answers, logs and records. */
export function maskedDiscordUrl({ origin, id, threadId }: DiscordTarget): string {
  return `${origin}/api/webhooks/${id}/…${threadId === null ? '' : `?thread_id=${threadId}`}`;
}
