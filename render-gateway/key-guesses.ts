import type { GuessLimit } from '#http/credentials.ts';
import { addressOf, rateLimited } from '#http/rate-limit.ts';
import type { Service } from '#service/service.ts';

/** Limits guesses of keys and host tokens by address. */
export function keyGuesses({ limits, settings }: Pick<Service, 'limits' | 'settings'>): GuessLimit {
  const { key_guesses: limiter } = limits;
  return {
    addressOf: (request) => addressOf(request, settings),
    refuse(address) {
      const wait = limiter.waitOf(address);
      if (wait > 0) throw rateLimited(limiter.policy, wait);
    },
    count: (address) => limiter.count(address),
  };
}
