import type { Dispatch } from './dispatch.ts';

/** Work waits for the first dispatcher no longer than that. */
const MOST_MS = 2000;
const AGAIN_MS = 5000;

/**
 * Takes over from the first dispatcher which accounts are suspended. The first always exists, so it has every change.
 * Another one may be new, or was not called while there were fewer. No job is handed out meanwhile, for two seconds at
 * most; then this dispatcher goes on with what it has stored, and takes over the answer when it comes. `changed`:
 * accounts that this one has suspended or resumed itself since it began, which is never older than the answer.
 */
export function syncSuspensions(
  ctx: Pick<DurableObjectState, 'blockConcurrencyWhile'>,
  first: () => { suspended(): Promise<readonly string[]> },
  dispatch: Pick<Dispatch, 'suspend' | 'suspended'>,
  changed: ReadonlySet<string>,
): void {
  const ask = async () => {
    const there = await first().suspended();
    const here = dispatch.suspended();
    for (const id of there) if (!here.includes(id) && !changed.has(id)) dispatch.suspend(id, true);
    for (const id of here) if (!there.includes(id) && !changed.has(id)) dispatch.suspend(id, false);
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
