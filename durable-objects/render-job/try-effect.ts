import type { JobEvent } from '#domain/job-event.ts';
import type { OutboxEntry, OutsideEffect } from '#domain/outbox.ts';
import { reasonOf } from '#domain/reason.ts';
import type { EngineWorld, Seen } from './engine-world.ts';
import type { StoredJob } from './stored-job.ts';

/** What came of effects that are due: the outcome of each, and what they tell the job. Never rejects. */
export async function tryEffects(
  world: Pick<EngineWorld, 'runEffect' | 'log'>,
  due: readonly OutboxEntry[],
  stored: StoredJob,
  seen: Seen,
): Promise<{ readonly outcomes: Map<string, boolean | readonly number[]>; readonly events: readonly JobEvent[] }> {
  // A host may wait for an offer.
  const inOrder = due.toSorted((a, b) => Number(b.effect.type === 'offer') - Number(a.effect.type === 'offer'));
  const results = await Promise.all(
    inOrder.map(async ({ id, effect }) => ({ id, ...(await tryEffect(world, effect, stored, seen)) })),
  );
  return {
    outcomes: new Map(results.map(({ id, outcome }) => [id, outcome])),
    events: results.flatMap(({ event }) => event ?? []),
  };
}

/** What came of an effect, as `afterTries` takes it, and what it tells the job. Never rejects. */
async function tryEffect(
  { runEffect, log }: Pick<EngineWorld, 'runEffect' | 'log'>,
  effect: OutsideEffect,
  stored: StoredJob,
  seen: Seen,
): Promise<{ readonly outcome: boolean | readonly number[]; readonly event?: JobEvent }> {
  try {
    const answer = await runEffect(effect, stored, seen);
    if (answer !== undefined && 'type' in answer) return { outcome: true, event: answer };
    return { outcome: answer ?? true };
  } catch (error) {
    log('effect failed', { job: stored.job.id, effect: effect.type, error: reasonOf(error) });
    return { outcome: false };
  }
}
