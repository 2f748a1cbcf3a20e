import { describe, expect, it } from 'vitest';
import { discordResult } from '#domain/discord-answer.ts';

const answer = (status: number, retryAfter: string | null = null, json: unknown = null) =>
  discordResult(status, retryAfter, json);

describe('an answer of Discord', () => {
  it.each([200, 204, 299])('%i is a success', (status) => {
    expect(answer(status)).toEqual({ status, error: null });
  });

  it.each([199, 300, 302, 399, 500, 502, 599])('%i is tried again as the schedule says', (status) => {
    expect(answer(status)).toEqual({ status, error: `Discord answered ${status}` });
  });

  it.each([
    [400, ': it does not accept the message'],
    [401, ': the token of the webhook is not valid'],
    [403, ': the webhook may not post in this channel'],
    [404, ': the webhook does not exist'],
    [413, ''],
    [405, ''],
    [499, ''],
  ])('%i is final', (status, reason) => {
    expect(answer(status)).toEqual({ status, error: `Discord answered ${status}${reason}`, wait: null });
  });

  it.each([
    ['the body’s seconds, which may have a fraction', '65', { retry_after: 64.57, global: false }, 64.57, 64_570],
    ['whole milliseconds', null, { retry_after: 1.0001 }, 1.0001, 1001],
    ['the header’s without a body', '65', null, 65, 65_000],
    ['the header’s with another body', '65', { retry_after: 'soon' }, 65, 65_000],
    ['a second at least', '0', null, 1, 1000],
    ['a second at least, whatever it says', null, { retry_after: -5 }, 1, 1000],
    ['an hour at most', null, { retry_after: 1e9 }, 3600, 3_600_000],
    ['a minute where it says nothing', null, { message: 'slow' }, 60, 60_000],
    ['a minute where it says a date', 'Thu, 06 Aug 2026 18:31:01 GMT', null, 60, 60_000],
  ])('429 waits %s', (_, header, json, seconds, wait) => {
    expect(answer(429, header, json)).toEqual({ status: 429, error: `Discord asks to wait for ${seconds} s`, wait });
  });
});
