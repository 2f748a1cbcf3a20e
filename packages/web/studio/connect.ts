import { errorOf } from '#client/errors.ts';
import { createTickreel, type Tickreel } from '#client/index.ts';

/**
 * Returns a client. `onRefused` gets the error if the service refuses the key. `onReach` is called after each request:
 * whether the service answered.
 */
export function connect(
  apiKey: string,
  onRefused: (error: unknown) => void,
  onReach: (isReached: boolean) => void,
): Tickreel {
  const watched: typeof fetch = async (...request) => {
    const response = await fetch(...request).catch((error: unknown) => {
      if (!request[1]?.signal?.aborted) onReach(false);
      throw error;
    });
    onReach(true);
    if (response.status === 401) onRefused(await errorOf(response.clone()));
    return response;
  };
  return createTickreel({ baseUrl: location.origin, apiKey, fetch: watched });
}
