import type { JobEvent } from '../../domain/job-event.ts';
import type { OutsideEffect } from '../../domain/outbox.ts';
import { reasonOf } from '../../domain/reason.ts';
import type { EngineWorld, Seen } from './engine-world.ts';
import type { StoredJob } from './stored-job.ts';

/** What came of an effect, as `afterTries` takes it, and what it tells the job. Never rejects. */
export async function tryEffect(
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
