/** A webhook of a Discord channel. */
export interface DiscordWebhook {
  /** Where messages are posted to. Its token is a secret: whoever has it can post. */
  readonly postUrl: string;
  /** The address without its token, for answers, logs and records. */
  readonly masked: string;
}

/** Returns where a message of a webhook is changed and deleted. */
export function messageUrl(postUrl: string, messageId: string): string {
  const url = new URL(postUrl);
  url.pathname += `/messages/${messageId}`;
  url.searchParams.delete('wait');
  return url.href;
}

const DISCORD = /^https:\/\/discord(app)?\.com$/;
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+$/;
const WEBHOOK = /^([^/]+\/\/[^/]+)\/api(?:\/v10)?\/webhooks\/(\d{1,20})\/([\w-]{1,200})(?:\?thread_id=(\d{1,20}))?$/;

/**
 * Reads the address of a Discord webhook, as the settings of a channel show it. Returns null for any other address. A
 * service that may call private addresses also accepts loopback, for a stand-in. With `wait`, Discord answers after the
 * message is saved. Without a version in the path it would use an older, deprecated one.
 */
export function discordWebhook(text: string, isLocal: boolean): DiscordWebhook | null {
  const [, origin = '', id, token, thread] = WEBHOOK.exec(URL.parse(text)?.href ?? '') ?? [];
  if (!DISCORD.test(origin) && !(isLocal && LOOPBACK.test(origin))) return null;
  return {
    postUrl: `${origin}/api/v10/webhooks/${id}/${token}?wait=true${thread ? `&thread_id=${thread}` : ''}`,
    masked: `${origin}/api/webhooks/${id}/…${thread ? `?thread_id=${thread}` : ''}`,
  };
}
