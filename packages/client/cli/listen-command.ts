import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { cleanLine, escapeControls } from '#domain/clean-text.ts';
import { signedHeaders } from '#protocol/signed-message.ts';
import type { JobSummary, Tickreel, WebhookEvent } from '../index.ts';
import { asClient, isJson } from './bind.ts';
import { isForPeople, tell } from './output.ts';
import { settingOf } from './settings.ts';

/** `tickreel listen`: prints what happens in the account, and posts its webhooks to this machine. */
export function listenCommand(): Command {
  return new Command('listen')
    .description('print every change of every job, and pass outcomes on as webhooks')
    .option('--forward <url>', 'where outcomes are posted, signed if there is a webhook secret')
    .option('--after <id>', 'continue after a printed change')
    .action(async ({ forward, after }: { forward?: string; after?: string }, command: Command) => {
      const client = asClient(command);
      // Fails at once if the address is wrong. Later outages are waited for.
      await client.jobs.list({ limit: 1 }).page();
      const secret = settingOf(command, 'webhook_secret');
      for await (const { id, job } of client.events({ after })) {
        print({ id, job }, isJson(command));
        if (forward === undefined || (job.status !== 'done' && job.status !== 'error')) continue;
        tell(`  ${await post(forward, await outcomeOf(client, job), secret)}`);
      }
    });
}

function print(change: { id: string; job: JobSummary }, asJson: boolean): void {
  const { id, job } = change;
  const words = [job.created_at, job.id, job.status, job.error_code ?? job.clip_id ?? '', id];
  const line = isForPeople(asJson)
    ? words.map((word) => cleanLine(String(word))).join('  ')
    : escapeControls(JSON.stringify(change));
  process.stdout.write(`${line}\n`);
}

/** Returns the body of the job's webhook. */
async function outcomeOf(client: Tickreel, { id, clip_id, error_code }: JobSummary): Promise<WebhookEvent> {
  const patient = { maxRetries: Infinity };
  const { payload } = await client.jobs.get(id, patient);
  const urls = clip_id === null ? null : client.clips.urls(clip_id);
  return {
    event: urls ? 'job.completed' : 'job.failed',
    job_id: id,
    clip_id,
    clip_url: urls?.embed ?? null,
    video_url: urls?.video ?? null,
    thumbnail_url: urls?.thumbnail ?? null,
    clip_duration: clip_id === null ? null : (await client.clips.get(clip_id, patient)).duration_seconds,
    status: urls ? 'processed' : 'error',
    error_code,
    extras: payload.extras === null ? null : JSON.parse(payload.extras),
  };
}

/** Posts an outcome and returns the receiver's answer in a few words. Does not retry, because a person watches. */
async function post(url: string, outcome: WebhookEvent, secret: string | undefined): Promise<string> {
  const body = JSON.stringify(outcome);
  const id = randomUUID();
  const signature = secret ? await signedHeaders(secret, { id, body, now: Date.now() }) : {};
  const headers = { 'Content-Type': 'application/json', 'X-Service-Delivery-Id': id, 'X-Service-Attempt': '1' };
  try {
    const { status } = await fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body });
    return `${outcome.event} ${outcome.job_id} → ${status}`;
  } catch {
    return `${outcome.event} ${outcome.job_id}: ${url} does not answer`;
  }
}
