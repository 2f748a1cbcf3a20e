import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import { cleanLine, escapeControls } from '#domain/lib/text.ts';
import { signedHeaders } from '#protocol/lib/signed-message.ts';
import { createWebhooks, type JobSummary, type Tickreel, type WebhookEvent } from '../index.ts';
import type { Asset } from '../shapes.ts';
import { followToItsEnd } from './follow-job.ts';
import type { Call } from './operation-commands.ts';
import { isForPeople, print, tell } from './output.ts';
import { asClient, bind, isJson, neededSettings, settingOf, UsageError } from './settings.ts';

export function jobsCommand(): Command {
  const group = new Command('jobs').description('what was submitted');
  group
    .command('watch <job>')
    .description('follow it to its end; exit status 1 if it fails')
    .action(async (job: string, _, command: Command) => {
      const client = asClient(command);
      // Fails at once if the address is wrong. Later outages are waited for.
      await client.jobs.get(job);
      await followToItsEnd(client, job, command);
    });
  return group;
}

export function clipsCommand(): Command {
  const group = new Command('clips').description('what was rendered');
  bind(group.command('urls <clip>').description('its public addresses'), asClient, async (client, [id = '']) =>
    client.clips.urls(id),
  );
  group
    .command('download <clip> <file>')
    .description('save the MP4')
    .action(async (clip: string, file: string, _, command: Command) => {
      await untilKilled((signal) => asClient(command).clips.downloadTo(clip, file, { signal }));
      tell(`Saved ${file}.`);
    });
  return group;
}

/**
 * Aborts the signal of `run` on SIGINT and SIGTERM, so that it removes its files. Then ends the process by that signal.
 */
async function untilKilled(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = (name: NodeJS.Signals) => stop.abort(name);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, end);
  await run(stop.signal).finally(() => {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, end);
    if (stop.signal.aborted) process.kill(process.pid, stop.signal.reason);
  });
}

const ASSET_TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
};

export function assetsCommand(): Command {
  const group = new Command('assets').description('watermarks, intros, outros and music');
  group
    .command('upload <file>')
    .description('a PNG, JPEG or WebP; for music a WAV, MP3, FLAC or OGG')
    .addOption(
      new Option('--kind <kind>', 'what it is for')
        .choices(['watermark', 'intro', 'outro', 'music'])
        .default('watermark'),
    )
    .option('--name <text>', "what to call it; the file's name unless given")
    .action(async (file: string, { kind, name }: { kind: Asset['kind']; name?: string }, command: Command) => {
      const type = ASSET_TYPES[extname(file).toLowerCase()];
      if (!type) throw new UsageError(`${file} is none of ${Object.keys(ASSET_TYPES).join(', ')}.`);
      const blob = new Blob([await readFile(file).catch(unreadable)], { type });
      const asset = await asClient(command).assets.upload(blob, { kind, name: name ?? basename(file) });
      print(asset, isJson(command));
    });
  return group;
}

function unreadable(error: Error): never {
  throw new UsageError(`The file cannot be read: ${error.message}`);
}

export function webhooksCommand(): Command {
  const group = new Command('webhooks').description('outcomes that the service posts');
  group
    .command('verify <file>')
    .description('check the signature of a webhook, whose body is in the file, and print it; - is standard input')
    .requiredOption('--id <text>', 'its header webhook-id')
    .requiredOption('--timestamp <text>', 'its header webhook-timestamp')
    .requiredOption('--signature <text>', 'its header webhook-signature')
    .action(async (file: string, { id, timestamp, signature }: Record<string, string>, command: Command) => {
      const { webhook_secret } = neededSettings(command, 'webhook_secret');
      const raw = readBody(file);
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      print(await createWebhooks(webhook_secret).unwrap(raw, headers), isJson(command));
    });
  group.command('secrets').description('what your webhooks are signed under; two are live at a time');
  return group;
}

/** `tickreel webhooks test`. Exit status 1 if it was not delivered. */
export async function tested(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  const answer = await call(fields);
  if (answer.delivered !== true) process.exitCode = 1;
  return answer;
}

function readBody(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    return unreadable(error as Error);
  }
}

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
        printChange({ id, job }, isJson(command));
        if (forward === undefined || (job.status !== 'done' && job.status !== 'error')) continue;
        tell(`  ${await post(forward, await outcomeOf(client, job), secret)}`);
      }
    });
}

function printChange(change: { id: string; job: JobSummary }, asJson: boolean): void {
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
