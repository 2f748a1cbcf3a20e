import type { EffectOutcome, OutboxEntry } from '#domain/job/outbox.ts';
import { reasonOf } from '#domain/lib/reason.ts';
import type { EngineContext, ProjectionExtras } from './engine-context.ts';
import type { StoredJob } from './stored-job.ts';

/** Tries due effects. Returns the outcome of each by its id. Never rejects. */
export async function tryEffects(
  { runEffect, log }: Pick<EngineContext, 'runEffect' | 'log'>,
  due: readonly OutboxEntry[],
  stored: StoredJob,
  seen: ProjectionExtras,
): Promise<ReadonlyMap<string, EffectOutcome>> {
  // Offers first, because a host may wait for one.
  const inOrder = due.toSorted((a, b) => Number(b.effect.type === 'offer') - Number(a.effect.type === 'offer'));
  const tried = inOrder.map(async ({ id, effect }): Promise<[string, EffectOutcome]> => {
    try {
      return [id, await runEffect(effect, stored, seen)];
    } catch (error) {
      log('effect failed', { job: stored.job.id, effect: effect.type, error: reasonOf(error) });
      return [id, 'failed'];
    }
  });
  return new Map(await Promise.all(tried));
}
