import type { Clip } from '#domain/clip/clip.ts';
import { type ClipFacts, clipHeadline, playerList } from '#domain/clip/clip-title.ts';
import { mapName } from '#domain/clip/names.ts';
import { TEST_MARK } from '#domain/job/test-end.ts';
import { cleanLine, cutText } from '#domain/lib/text.ts';
import { clipUrls } from '#protocol/lib/routes.ts';

/** A clip of a post. `facts`: null if the host reported only a title. `durationSeconds`: 0 if it is not known. */
export interface PostedClip extends Pick<Clip, 'title' | 'durationSeconds'> {
  readonly id: string;
  readonly facts: ClipFacts | null;
  readonly videoKey: string;
  readonly videoBytes: number;
  /** Whether a job of a test key made it. */
  readonly isTest?: boolean;
}

// Limits of Discord, in discord/discord-api-docs c98d64bc: developers/resources/webhook.mdx (10 embeds in a message),
// developers/resources/message.mdx ("Embed Limits": 256 characters in a title, 6000 in all embeds;
// "Limitations": 25 MiB in a request), developers/reference.mdx ("Uploading Files": 10 MiB in a file).
const MOST_EMBEDS = 10;
const MOST_TITLE = 256;
/** Ten embeds have 5760 characters at most. */
const MOST_DESCRIPTION = 320;
const MIB = 1024 * 1024;
const MOST_FILE_BYTES = 10 * MIB;
/** The rest of a request is for the message and the headers of its parts. */
const MOST_FILES_BYTES = 24 * MIB;

/** Whether a video is too large to attach. Discord plays the video of a page only in a message of addresses alone. */
function postsLinksOnly(clips: readonly PostedClip[]): boolean {
  return clips.slice(0, MOST_EMBEDS).some(({ videoBytes }) => videoBytes > MOST_FILE_BYTES);
}

/** Returns the clips of a post whose files fit into it. A post of addresses has no files. */
export function attachable(clips: readonly PostedClip[]): PostedClip[] {
  const posted = clips.slice(0, MOST_EMBEDS);
  if (postsLinksOnly(clips)) return [];
  let room = MOST_FILES_BYTES;
  return posted.filter(({ videoBytes }) => {
    if (videoBytes > room) return false;
    room -= videoBytes;
    return true;
  });
}

/** Returns the body of a post: an embed for each clip, or the addresses of their pages. Nobody is notified. */
export function discordMessage(
  clips: readonly PostedClip[],
  baseUrl: string,
  hasLinksOnly = postsLinksOnly(clips),
): string {
  return JSON.stringify(messageOf(clips, baseUrl, hasLinksOnly));
}

/** Returns the body that takes all files of a post away, and leaves the embeds or addresses of some clips. */
export function discordEdit(clips: readonly PostedClip[], baseUrl: string): string {
  return JSON.stringify({ content: '', embeds: [], ...messageOf(clips, baseUrl), attachments: [] });
}

function messageOf(clips: readonly PostedClip[], baseUrl: string, hasLinksOnly = postsLinksOnly(clips)) {
  const posted = clips.slice(0, MOST_EMBEDS);
  const shown = hasLinksOnly
    ? { content: posted.map(({ id }) => clipUrls(baseUrl, id).page).join('\n') }
    : { embeds: posted.map((clip) => embedOf(clip, baseUrl)) };
  return { ...shown, allowed_mentions: { parse: [] } };
}

function embedOf({ id, title, facts, durationSeconds, isTest }: PostedClip, baseUrl: string) {
  const { page, thumbnail } = clipUrls(baseUrl, id);
  const round = facts?.round == null ? '' : `, round ${facts.round}`;
  const shown = facts ? [playerList(facts.players), mapName(facts.map) + round] : [];
  const seconds = durationSeconds > 0 ? [`${Math.ceil(durationSeconds)} s`] : [];
  const mark = isTest ? TEST_MARK : '';
  return {
    title: escapeDiscord(facts ? mark + clipHeadline(facts) : title, MOST_TITLE) || 'Clip',
    description: escapeDiscord([...shown, ...seconds].join(' · '), MOST_DESCRIPTION) || undefined,
    url: page,
    thumbnail: { url: thumbnail },
  };
}

/** Characters of Discord's markdown, its mentions and its links (developers/reference.mdx, "Message Formatting"). */
const MARKDOWN = /(?![,'!?])[!-/:-@[-`{-~]/g;
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\$/;

/**
 * Makes a text safe for an embed: one line, nothing invisible, every character of markdown, mentions and links escaped.
 * Has at most `most` UTF-16 units, and ends in "…" if it was cut. The result may be empty.
 */
export function escapeDiscord(text: string, most: number): string {
  const escaped = cleanLine(text).replace(MARKDOWN, '\\$&');
  if (escaped.length <= most) return escaped;
  return `${cutText(escaped, most - 1)
    .replace(HALF_PAIR, '$1')
    .trimEnd()}…`;
}

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
