import { errorOf } from '#client/errors.ts';
import { createTickreel, type Tickreel } from '#client/index.ts';

/** What a page is told of its connection to the service. */
interface ConnectionEvents {
  /** The service refused the key. */
  onRefused(error: unknown): void;
  /** Called after each request: whether the service answered. */
  onReach(isReached: boolean): void;
}

/** Returns a client that reports the state of its connection. */
export function connect(apiKey: string, { onRefused, onReach }: ConnectionEvents): Tickreel {
  const watched: typeof fetch = async (...request) => {
    const response = await fetch(...request).catch((error: unknown) => {
      if (!request[1]?.signal?.aborted) onReach(false);
      throw error;
    });
    onReach(true);
    if (response.status === 401) onRefused(await errorOf(response.clone(), location.origin));
    return response;
  };
  return createTickreel({ baseUrl: location.origin, apiKey, fetch: watched });
}
