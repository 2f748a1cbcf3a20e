import type { Command } from 'commander';
import type { Tickreel } from '../index.ts';
import { isJson } from './bind.ts';
import { print } from './output.ts';
import { showProgress } from './progress-bar.ts';

/** Shows how a job comes on, then its outcome with the addresses of the clip. Exit status 1 if it fails. */
export async function followToItsEnd(client: Tickreel, jobId: string, command: Command, known = {}): Promise<void> {
  const progress = showProgress(process.stderr);
  process.stderr.write(`Job ${jobId}\n`);
  const job = await client.jobs.wait(jobId, { onProgress: progress.update }).finally(progress.stop);
  const { clip_id, error_code, status } = job;
  const outcome = clip_id === null ? { status, error_code } : { status, clip_id, ...client.clips.urls(clip_id) };
  print({ job_id: jobId, ...known, ...outcome }, isJson(command));
  if (status !== 'done') process.exitCode = 1;
}
