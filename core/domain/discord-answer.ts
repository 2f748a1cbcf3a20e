import * as z from 'zod';
import type { AttemptResult } from './delivery.ts';

/** A response of Discord to a post. */
export interface DiscordAnswer {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly retryAfter: string | null;
  /** The beginning of the body. */
  readonly text: string;
}

/** Why Discord refuses a post for good (discord/discord-api-docs c98d64bc, opcodes-and-status-codes.mdx). */
const REFUSED: Readonly<Record<number, string>> = {
  400: 'it does not accept the message',
  401: 'the token of the webhook is not valid',
  403: 'the webhook may not post in this channel',
  404: 'the webhook does not exist',
  413: 'the message is too large',
};

/** Seconds of a wait that Discord asks for, `retry_after` (developers/topics/rate-limits.mdx). */
const RateLimit = z.object({ retry_after: z.number() });
const SHORTEST_WAIT_S = 1;
const LONGEST_WAIT_S = 3600;
/** After a 429 that asks for no time. */
const UNKNOWN_WAIT_S = 60;

/**
 * Returns the result of an attempt to post. A 429 is tried again after the time that it asks for, within bounds; all
 * other statuses from 400 to 499 are final, because a repetition would have the same answer.
 */
export function discordResult({ status, retryAfter, text }: DiscordAnswer): AttemptResult {
  if (status >= 200 && status < 300) return { status, error: null };
  if (status === 429) {
    const asked = retryAfterOf(text) ?? Number(retryAfter ?? Number.NaN);
    const seconds = Number.isNaN(asked) ? UNKNOWN_WAIT_S : Math.min(Math.max(asked, SHORTEST_WAIT_S), LONGEST_WAIT_S);
    return { status, error: `Discord asks to wait for ${seconds} s`, wait: Math.ceil(seconds * 1000) };
  }
  const reason = REFUSED[status];
  const error = `Discord answered ${status}${reason ? `: ${reason}` : ''}`;
  return status >= 400 && status < 500 ? { status, error, wait: null } : { status, error };
}

function retryAfterOf(text: string): number | undefined {
  try {
    return RateLimit.safeParse(JSON.parse(text)).data?.retry_after;
  } catch {
    return undefined;
  }
}
