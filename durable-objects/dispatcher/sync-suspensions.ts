import type { Dispatch } from './dispatch.ts';

/** The longest delay of work by the first dispatcher. */
const MOST_MS = 2000;
const AGAIN_MS = 5000;

/**
 * Copies the suspended accounts from the first dispatcher, which always exists and so has every change. Others may be
 * new, or were not used while there were fewer. No job is assigned meanwhile, for two seconds at most; then the stored
 * accounts are used until the answer arrives. `changed`: accounts that this dispatcher has suspended or resumed since
 * it started, which override the answer.
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
    // Cleared at once: a pending timer keeps the object in memory, which is billed.
    const timer = setTimeout(waited.resolve, MOST_MS);
    await Promise.race([ask().catch(askAgain), waited.promise]);
    clearTimeout(timer);
  });
}
