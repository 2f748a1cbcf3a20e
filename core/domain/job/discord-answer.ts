import * as z from 'zod';
import type { AttemptResult } from './delivery.ts';

/** Why Discord refuses a post for good (discord/discord-api-docs c98d64bc, opcodes-and-status-codes.mdx). */
const REFUSED: Readonly<Record<number, string>> = {
  400: ': it does not accept the message',
  401: ': the token of the webhook is not valid',
  403: ': the webhook may not post in this channel',
  404: ': the webhook does not exist',
};

/** Seconds of a wait that Discord asks for, `retry_after` (developers/topics/rate-limits.mdx). */
const RateLimit = z.looseObject({ retry_after: z.number() });
const LONGEST_WAIT_S = 3600;
const UNKNOWN_WAIT_S = 60;

/**
 * Returns the result of an attempt to post. A 429 is tried again after the time that it asks for, from a second to an
 * hour; all other statuses from 400 to 499 are final, because a repetition would have the same answer. `retryAfter`:
 * the header, for an answer that is not JSON.
 */
export function discordResult(status: number, retryAfter: string | null, json: unknown): AttemptResult {
  if (status >= 200 && status < 300) return { status, error: null };
  if (status === 429) {
    const { data } = RateLimit.safeParse(json);
    const asked = data?.retry_after ?? Number(retryAfter ?? Number.NaN);
    const seconds = Number.isNaN(asked) ? UNKNOWN_WAIT_S : Math.min(Math.max(asked, 1), LONGEST_WAIT_S);
    return { status, error: `Discord asks to wait for ${seconds} s`, wait: Math.ceil(seconds * 1000) };
  }
  const error = `Discord answered ${status}${REFUSED[status] ?? ''}`;
  return status >= 400 && status < 500 ? { status, error, wait: null } : { status, error };
}
