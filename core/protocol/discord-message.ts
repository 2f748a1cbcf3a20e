import { cleanLine } from '#domain/clean-text.ts';
import { type ClipFacts, clipHeadline, playerList } from '#domain/clip-title.ts';
import { mapName } from '#domain/map-name.ts';
import { clipUrls } from './webhook.ts';

/** A clip of a post. */
export interface PostedClip {
  readonly id: string;
  readonly title: string;
  /** Null if the host reported only a title. */
  readonly facts: ClipFacts | null;
  /** Seconds; 0 if it is not known. */
  readonly durationSeconds: number;
  readonly videoBytes: number;
}

// Limits of Discord, in discord/discord-api-docs c98d64bc: developers/resources/webhook.mdx (embeds of a message),
// developers/resources/message.mdx ("Embed Limits": 256 characters in a title, 1024 in a field, 6000 in all embeds;
// "Limitations": 25 MiB in a request), developers/reference.mdx ("Uploading Files": 10 MiB in a file).
const MOST_EMBEDS = 10;
/** Ten embeds of a title and the fields below have 5700 characters at most. */
const MOST_TITLE = 256;
const MOST_FIELD = 140;
const MIB = 1024 * 1024;
const MOST_FILE_BYTES = 10 * MIB;
/** The rest of a request is for the message and the headers of its parts. */
const MOST_FILES_BYTES = 24 * MIB;

/** Returns the clips of a post whose files fit into it. */
export function attachable<T extends Pick<PostedClip, 'videoBytes'>>(clips: readonly T[]): T[] {
  let room = MOST_FILES_BYTES;
  return clips.slice(0, MOST_EMBEDS).filter(({ videoBytes }) => {
    if (videoBytes > Math.min(room, MOST_FILE_BYTES)) return false;
    room -= videoBytes;
    return true;
  });
}

/** Returns the body of a post: an embed for each clip, and the names of the attached files. Nobody is notified. */
export function discordMessage(clips: readonly PostedClip[], attached: readonly PostedClip[], baseUrl: string): string {
  return JSON.stringify({
    embeds: clips.slice(0, MOST_EMBEDS).map((clip) => embedOf(clip, baseUrl)),
    allowed_mentions: { parse: [] },
    attachments: attached.map((_, id) => ({ id, filename: fileName(id) })),
  });
}

/** Returns the name of an attached file by its number in the post. */
export function fileName(index: number): string {
  return `clip-${index + 1}.mp4`;
}

function embedOf({ id, title, facts, durationSeconds }: PostedClip, baseUrl: string) {
  const { page, thumbnail } = clipUrls(baseUrl, id);
  const round = facts?.round == null ? '' : `, round ${facts.round}`;
  const fields = [
    ['Players', facts && playerList(facts.players)],
    ['Map', facts && mapName(facts.map) + round],
    ['Length', durationSeconds > 0 ? `${Math.max(1, Math.round(durationSeconds))} s` : null],
  ] as const;
  return {
    title: escapeDiscord(facts ? clipHeadline(facts) : title, MOST_TITLE) || 'Clip',
    url: page,
    thumbnail: { url: thumbnail },
    fields: fields.flatMap(([name, text]) => {
      const value = text ? escapeDiscord(text, MOST_FIELD) : '';
      return value === '' ? [] : { name, value, inline: true };
    }),
  };
}

/** Characters of Discord's markdown, its mentions and its links (developers/reference.mdx, "Message Formatting"). */
const MARKDOWN = /(?![,'!?])[!-/:-@[-`{-~]/;

/**
 * Makes a text safe for an embed: one line, nothing invisible, every character of markdown, mentions and links escaped.
 * Has at most `most` UTF-16 units, and ends in "…" if it was cut. The result may be empty.
 */
export function escapeDiscord(text: string, most: number): string {
  const parts = Array.from(cleanLine(text), (c) => (MARKDOWN.test(c) ? `\\${c}` : c));
  const whole = parts.join('');
  if (whole.length <= most) return whole;
  let cut = '';
  for (const part of parts) {
    if (cut.length + part.length >= most) break;
    cut += part;
  }
  return `${cut.trimEnd()}…`;
}
