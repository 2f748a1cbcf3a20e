import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { cleanLine } from '#domain/lib/text.ts';
import { choicesOf } from '../demos.ts';
import type { ClipAddresses, Demo, Job, JobProgress, Tickreel } from '../index.ts';
import { print, tell } from './output.ts';
import { isJson, UsageError } from './settings.ts';

interface Display<Shown extends readonly unknown[]> {
  readonly update: (...shown: Shown) => void;
  readonly stop: () => void;
}
export type ProgressDisplay = Display<[progress: JobProgress]>;

const LABELS: Record<JobProgress['status'], string> = {
  pending: 'waiting for a render host',
  prefetch: 'downloading the demo',
  render: 'rendering',
  retrying: 'waiting to try again',
  done: 'done',
  error: 'failed',
};
const WIDTH = 32;
const TO_LINE_START = '\r';
const CLEAR_TO_LINE_END = '\u001b[K';

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** Shows a bar on a terminal, else a line at each tenth. A job without progress has neither bar nor percentage. */
export function showProgress(stream: Stream): ProgressDisplay {
  const bar = barOn(stream);
  let last = '';
  return {
    stop: bar.stop,
    update(now) {
      const { progress: share } = now;
      if (stream.isTTY) return bar.draw(share, labelOf(now) + placeOf(now));
      const line = labelOf(now) + (share === null ? '' : ` ${Math.floor(share * 10) * 10} %`);
      if (line !== last) stream.write(`  ${line}\n`);
      last = line;
    },
  };
}

/** Shows the same for an upload, on a terminal only. */
function showUpload(stream: Stream): Display<[arrived: number, total: number]> {
  const bar = barOn(stream);
  const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return {
    stop: bar.stop,
    update(arrived, total) {
      // A file that the service already has needs no bar.
      if (!stream.isTTY || (!bar.isDrawn() && arrived === total)) return;
      bar.draw(arrived / total, `uploading, ${mib(arrived)} of ${mib(total)} MiB`);
    },
  };
}

/** Draws on one line of a terminal. */
function barOn(stream: Stream) {
  let isDrawn = false;
  return {
    isDrawn: () => isDrawn,
    draw(share: number | null, label: string) {
      const filled = Math.round((share ?? 0) * WIDTH);
      const percent = String(Math.floor((share ?? 0) * 100)).padStart(3);
      const picture = share === null ? '' : `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${percent} %  `;
      stream.write(`${TO_LINE_START}  ${picture}${label}${CLEAR_TO_LINE_END}`);
      isDrawn = true;
    },
    stop() {
      if (isDrawn) stream.write('\n');
    },
  };
}

function labelOf({ status, error_code, queue }: JobProgress): string {
  const label = error_code === null ? LABELS[status] : `${LABELS[status]}: ${error_code}`;
  return cleanLine(queue ? `${label}: ${queue.text}` : label);
}

/** Returns the place in the queue, for a bar. A line for each change of it would be too many. */
function placeOf({ queue }: JobProgress): string {
  if (!queue || queue.position === null) return '';
  const wait = queue.estimate_s === null ? '' : `, about ${queue.estimate_s} s`;
  return ` (position ${queue.position}${wait})`;
}

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

/** Returns the address of a demo. First uploads a file of this machine. */
export async function demoUrlOf(client: Tickreel, urlOrFile: string): Promise<string> {
  if (/^https?:\/\//i.test(urlOrFile)) return urlOrFile;
  const unreadable = ({ message }: Error): never => {
    throw new UsageError(`${urlOrFile} is no http(s) URL and no file that can be read: ${message}`);
  };
  // `openAsBlob` throws synchronously.
  const content = await (async () => openAsBlob(urlOrFile))().catch(unreadable);
  const hash = createHash('sha256');
  await pipeline(createReadStream(urlOrFile, { highWaterMark: 1 << 20 }), hash).catch(unreadable);
  const progress = showUpload(process.stderr);
  const file = { name: basename(urlOrFile), content, sha256: hash.digest('hex') };
  return (await client.uploads.send(file, { onProgress: progress.update }).finally(progress.stop)).demo_url;
}

/**
 * Inspects a demo by its address. A failed download is retried for a long time. If the archive has several demos,
 * prints the shell argument that chooses each of them.
 */
export async function inspected(client: Tickreel, demoUrl: string): Promise<Demo> {
  let tried: string | null = null;
  const demo = await client.demos.inspect(demoUrl, {
    onProgress({ error_code }) {
      if (error_code === tried) return;
      tried = error_code;
      if (tried !== null) tell(`The demo could not be read yet (${tried}); it is tried again.`);
    },
  });
  const choices = choicesOf(demo);
  if (choices.length > 0) tell('The archive has several demos. Choose one by its address:');
  for (const { demo_url } of choices) tell(`  '${demo_url.replaceAll("'", "'\\''")}'`);
  return demo;
}
