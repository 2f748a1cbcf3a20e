import type { Command } from 'commander';
import type { ClipAddresses, Job, Tickreel } from '../index.ts';
import { isJson } from './bind.ts';
import { print, tell } from './output.ts';
import { showProgress } from './progress-bar.ts';

/** Shows the progress of a job, then its outcome with the addresses of the clip. Exit status 1 if it fails. */
export async function followToItsEnd(client: Tickreel, jobId: string, command: Command, known = {}): Promise<void> {
  const progress = showProgress(process.stderr);
  tell(`Job ${jobId}`);
  const { clip_id, error_code, status, diagnosis } = await client.jobs
    .wait(jobId, { include: ['queue'], onProgress: progress.update })
    .finally(progress.stop);
  const outcome =
    clip_id === null
      ? { status, error_code, ...whyOf(diagnosis) }
      : { status, clip_id, ...(await addressesOf(client, clip_id)) };
  print({ job_id: jobId, ...known, ...outcome }, isJson(command));
  if (status !== 'done') process.exitCode = 1;
}

/** Returns the clip's addresses of the service, which may differ from the address that is called. */
async function addressesOf({ clips }: Tickreel, clipId: string): Promise<ClipAddresses> {
  const clip = await clips.get(clipId, { include: ['urls'] }).catch(() => null);
  return clip?.urls ?? clips.urls(clipId);
}

/** Returns what the client can do about a failed job, and the page with more. */
function whyOf(diagnosis: Job['diagnosis']): object {
  if (!diagnosis) return {};
  const { summary, facts, docs_url } = diagnosis;
  return { summary, ...(facts ? { facts } : {}), docs_url };
}
