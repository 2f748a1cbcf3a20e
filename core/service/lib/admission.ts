import type { GuessLimit } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import type { Answers } from '#http/reply.ts';
import type { Handler } from '#http/router.ts';
import type { Service } from './service.ts';

/** A day, and the hour for which a valid secret is not noted again. */
const NOTED_S = 25 * 60 * 60;

/**
 * Limits guesses of keys and tokens by address. The cache of a data centre keeps for its isolates which secrets were
 * valid: a look-up of it costs no query.
 */
export function keyGuesses({ limits, settings }: Pick<Service, 'limits' | 'settings'>): GuessLimit {
  const { key_guesses: limiter } = limits;
  const noteOf = (sha256: string) => `${settings.baseUrl}/secrets/${sha256}`;
  return {
    addressOf: (request) => addressOf(request, settings),
    refuse: limiter.refuse,
    count: limiter.count,
    noteValid(sha256) {
      const headers = { 'Cache-Control': `max-age=${NOTED_S}` };
      if (settings.hasCache) void caches.default.put(noteOf(sha256), new Response('', { headers })).catch(() => {});
    },
    wasValid: async (sha256) =>
      settings.hasCache && (await caches.default.match(noteOf(sha256)).catch(() => undefined)) !== undefined,
  };
}

/**
 * Throws a problem unless this share of the disk's reserve is free. On one machine, storage never answers a write that
 * finds the disk full.
 */
export async function requireDisk({ disk }: Pick<Service, 'disk'>, share?: number): Promise<void> {
  if (share !== undefined && !(await disk.hasSpace(share))) throw diskFull();
}

export function diskFull(): ProblemError {
  return new ProblemError('unavailable', 'The disk of the service is almost full.', {
    headers: { 'Retry-After': '60' },
  });
}

/**
 * Refuses an address that asked for many missing clips: 429 for a while, before any look-up. Its valid requests are
 * refused too, because a look-up would be needed to recognize them.
 */
export function limitGuesses<Name extends string, Query, A extends Answers>(
  handler: Handler<Service, Name, null, Query, never, A>,
): Handler<Service, Name, null, Query, never, A> {
  return async (service, context) => {
    const { clip_guesses: guesses } = service.limits;
    const address = addressOf(context.request, service.settings);
    guesses.refuse(address);
    try {
      const response = await handler(service, context);
      if (response.status === 404) await guesses.count(address);
      return response;
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'not_found') await guesses.count(address);
      throw error;
    }
  };
}
