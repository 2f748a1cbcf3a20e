import { ProblemError } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import type { Answers } from '#http/reply.ts';
import type { Handler } from '#http/router.ts';
import type { Service } from './service.ts';

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
