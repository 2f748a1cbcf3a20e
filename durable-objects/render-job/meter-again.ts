import type { Job } from '#domain/job.ts';
import { insertUsage, RUN_KEPT_MS } from '#storage/usage.ts';
import type { EffectWorld } from './run-effect.ts';

/**
 * Puts the last run of a job on the bill again, where the index may have lost it. One that is there adds nothing; of
 * one from before runs are forgotten nobody could tell.
 */
export async function meterAgain({ databases }: EffectWorld, job: Job, now: number): Promise<void> {
  const { id: jobId, accountId, run, status, clip } = job;
  if (status !== 'done' || !clip || clip.renderedAt < now - RUN_KEPT_MS) return;
  const { tier, resolution, fps, durationSeconds: seconds, renderedAt } = clip;
  const usage = { jobId, run, accountId, tier, resolution, fps, seconds, renderedAt };
  await insertUsage(databases.of(job.database), usage);
}
