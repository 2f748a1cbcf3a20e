import type { GuessLimit } from '#http/credentials.ts';
import { addressOf } from '#http/rate-limit.ts';
import type { Service } from './service.ts';

/** Limits guesses of keys and host tokens by address. */
export function keyGuesses({ limits, settings }: Pick<Service, 'limits' | 'settings'>): GuessLimit {
  const { key_guesses: limiter } = limits;
  return {
    addressOf: (request) => addressOf(request, settings),
    refuse: limiter.refuse,
    count: limiter.count,
  };
}
