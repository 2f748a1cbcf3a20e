import type { Dispatch } from './dispatch-words.ts';
import type { Dispatcher } from './dispatcher.ts';

const AGAIN_MS = 5000;

/**
 * Asks the first dispatcher which accounts are suspended: there always is one, so it has heard of each. Another one may
 * be new, or may have been left out while there were fewer. Nothing is handed out meanwhile. While the first does not
 * answer, work goes on by what is known here, and it is asked again.
 */
export function hearOfSuspended(
  ctx: Pick<DurableObjectState, 'blockConcurrencyWhile'>,
  first: () => Pick<DurableObjectStub<Dispatcher>, 'suspended'>,
  dispatch: Pick<Dispatch, 'suspend' | 'suspended'>,
): void {
  const ask = async () => {
    const there = await first().suspended();
    const here = dispatch.suspended();
    for (const id of there) if (!here.includes(id)) dispatch.suspend(id, true);
    for (const id of here) if (!there.includes(id)) dispatch.suspend(id, false);
  };
  void ctx.blockConcurrencyWhile(() =>
    ask().catch(() => void setTimeout(() => hearOfSuspended(ctx, first, dispatch), AGAIN_MS)),
  );
}
