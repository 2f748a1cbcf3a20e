import type { Dispatch } from './dispatch-words.ts';

/** Work waits for the first dispatcher no longer: that it all stood still would be the worse failure. */
const MOST_MS = 2000;
const AGAIN_MS = 5000;

/**
 * Asks the first dispatcher which accounts are suspended: there always is one, so it has heard of each. Another one may
 * be new, or may have been left out while there were fewer. Nothing is handed out meanwhile, for two seconds at most;
 * then work goes on by what is known here, and what the first says later counts from then on. `told`: accounts of which
 * this one was told itself since it began, which is never older than what the first says.
 */
export function hearOfSuspended(
  ctx: Pick<DurableObjectState, 'blockConcurrencyWhile'>,
  first: () => { suspended(): Promise<readonly string[]> },
  dispatch: Pick<Dispatch, 'suspend' | 'suspended'>,
  told: ReadonlySet<string>,
): void {
  const ask = async () => {
    const there = await first().suspended();
    const here = dispatch.suspended();
    for (const id of there) if (!here.includes(id) && !told.has(id)) dispatch.suspend(id, true);
    for (const id of here) if (!there.includes(id) && !told.has(id)) dispatch.suspend(id, false);
  };
  const askAgain = () => void setTimeout(() => ask().catch(askAgain), AGAIN_MS);
  void ctx.blockConcurrencyWhile(async () => {
    const waited = Promise.withResolvers<void>();
    // Cleared at once: a timer that stands keeps the object in memory, where it is paid for.
    const timer = setTimeout(waited.resolve, MOST_MS);
    await Promise.race([ask().catch(askAgain), waited.promise]);
    clearTimeout(timer);
  });
}
