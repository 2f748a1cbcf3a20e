import { advanceRun } from '#domain/job/rule-run.ts';
import type { Schedule } from '#domain/job/schedule.ts';
import type { Database } from '#storage/lib/database.ts';
import { selectOpenRuns, storeRun } from '#storage/rule/rule-runs.ts';

/** How often a change is tried again that another isolate came before. */
const TRIES = 5;

/** Notes that Discord has taken the post of a run, or has refused it for good. */
export async function notePosted(
  database: Database,
  schedule: Schedule,
  runId: string,
  fault: string | null,
): Promise<void> {
  const now = Date.now();
  for (let tries = 0; tries < TRIES; tries++) {
    const [open] = await selectOpenRuns(database, { runId });
    if (!open) return;
    const given = { now, schedule, made: 1, hasPost: true, hasWebhook: false, newId: () => '' };
    const change = advanceRun(open.run, { type: 'post-ended', fault }, given);
    if (change.run === open.run && !change.failures) return;
    if (await storeRun(database, open, change, { now, keyClips: 0 })) return;
  }
}
