import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { signedHeaders } from '../../protocol/signed-message.ts';
import type { JobSummary, Tickreel } from '../index.ts';
import { asClient } from './bind.ts';
import { settingOf } from './settings.ts';

const TIMEOUT_MS = 10_000;

/** `tickreel listen`: shows what becomes of the account's jobs, and passes outcomes on to a receiver close by. */
export function listenCommand(): Command {
  return new Command('listen')
    .description('follow all jobs, and post their outcomes to a receiver on this machine')
    .option('--forward <url>', 'where outcomes are posted as webhooks; signed where there is a webhook secret')
    .option('--after <id>', 'go on after a change that was seen')
    .action(async ({ forward, after }: { forward?: string; after?: string }, command: Command) => {
      const client = asClient(command);
      const secret = settingOf(command, 'webhook_secret');
      for await (const { job, id } of client.events({ after })) {
        process.stdout.write(`${id} ${job.id} ${job.status}${job.error_code ? ` ${job.error_code}` : ''}\n`);
        if (forward === undefined || (job.status !== 'done' && job.status !== 'error')) continue;
        process.stdout.write(`${await post(forward, await webhookOf(client, job), secret)}\n`);
      }
    });
}

/** The webhook that the service would send of the outcome. */
export async function webhookOf(client: Tickreel, { id, clip_id, error_code }: JobSummary): Promise<string> {
  const { payload } = await client.jobs.get(id);
  const clip = clip_id === null ? null : await client.clips.get(clip_id);
  const urls = clip && client.clips.urls(clip.id);
  const outcome = JSON.stringify({
    event: clip ? 'job.completed' : 'job.failed',
    job_id: id,
    clip_id,
    clip_url: urls?.embed ?? null,
    video_url: urls?.video ?? null,
    thumbnail_url: urls?.thumbnail ?? null,
    clip_duration: clip?.duration_seconds ?? null,
    status: clip ? 'processed' : 'error',
    error_code,
  });
  // Its text as it was sent: a number may be longer than any that is read.
  return `${outcome.slice(0, -1)},"extras":${payload.extras ?? 'null'}}`;
}

async function post(url: string, body: string, secret: string | undefined): Promise<string> {
  const id = randomUUID();
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Delivery-Id': id,
    'X-Service-Attempt': '1',
    ...(secret ? await signedHeaders(secret, { id, body, now: Date.now() }) : {}),
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return `  → ${url} answered ${response.status}`;
  } catch (error) {
    return `  → ${url} did not answer: ${error instanceof Error ? error.message : error}`;
  }
}
