import { ProblemError } from '#http/problem.ts';
import { addressOf, rateLimited } from '#http/rate-limit.ts';
import type { Handler } from '#http/router.ts';
import type { Service } from '#service/service.ts';

/**
 * An address that asks for one clip after the other that is not there gets 429 for a while, before anything is looked
 * up. What it asks for in between is not answered either: nobody can tell a guess before.
 */
export function limitGuesses<Name extends string, Query = never>(
  handler: Handler<Service, Name, null, Query>,
): Handler<Service, Name, null, Query> {
  return async (service, context) => {
    const { clipGuesses } = service.limits;
    const address = addressOf(context.request, service.settings);
    const wait = clipGuesses.waitOf(address);
    if (wait > 0) throw rateLimited(clipGuesses.policy, wait);
    try {
      const response = await handler(service, context);
      if (response.status === 404) await clipGuesses.count(address);
      return response;
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'not_found') await clipGuesses.count(address);
      throw error;
    }
  };
}
