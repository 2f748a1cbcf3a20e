import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { listenOnLoopback } from '#stack/listen.ts';
import { PICTURES } from '../support/pictures.ts';

/** The settings of a flood, as data of its thread. */
export interface FloodOrder {
  readonly baseUrl: string;
  readonly key: string;
  readonly demoUrl: string;
  /** Calls of each kind at a time, and a second, unless answers take longer. */
  readonly connections: number;
  readonly perSecond: number;
  /** The most calls of each kind; the message `stop` ends it earlier. */
  readonly most: number;
}

/** Messages to a running flood. */
export type FloodWord = 'pause' | 'go' | 'stop';

/** Calls by kind and status, as in `submit 201`. */
export type FloodCounts = Readonly<Record<string, number>>;

/** Event streams that are held open and never read. */
const MOST_WATCHERS = 50;
/** The number of latest jobs that are submitted again and followed. */
const MOST_JOBS = 100;

const { baseUrl, key, demoUrl, connections, perSecond, most } = workerData as FloodOrder;
const port = parentPort;
if (port === null) throw new Error('a flood runs in a thread of its own');

/** Receives the webhooks of the flood's jobs, which the service sends. */
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
const webhookUrl = `http://127.0.0.1:${await listenOnLoopback(receiver)}/hook`;

const counts: Record<string, number> = {};
const jobs: string[] = [];
const watchers: AbortController[] = [];
let isOver = false;
let mayGo = Promise.withResolvers<void>();
mayGo.resolve();
port.on('message', (message: FloodWord) => {
  isOver ||= message === 'stop';
  if (message === 'pause') mayGo = Promise.withResolvers();
  else mayGo.resolve();
});

const gapMs = (1000 * connections) / perSecond;
const headers = { Authorization: `Bearer ${key}` };
const request = { demo_url: demoUrl, steam64_id: '76561198000000001', webhook_url: webhookUrl };
const anyJob = () => jobs[Math.floor(Math.random() * jobs.length)] ?? crypto.randomUUID();

async function submit(): Promise<number> {
  const response = await fetch(`${baseUrl}/api/clips`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { job_id } = (await response.json()) as { job_id?: string };
  if (job_id !== undefined) jobs.push(job_id);
  if (jobs.length > MOST_JOBS) jobs.shift();
  return response.status;
}

async function resend(): Promise<number> {
  const response = await fetch(`${baseUrl}/api/jobs/${anyJob()}/resend-webhook`, { method: 'POST', headers });
  await response.arrayBuffer();
  return response.status;
}

async function watch(): Promise<number> {
  const watcher = new AbortController();
  const { status, body } = await fetch(`${baseUrl}/api/jobs/${anyJob()}/events`, { headers, signal: watcher.signal });
  if (status !== 200) await body?.cancel();
  else watchers.push(watcher);
  if (watchers.length > MOST_WATCHERS) watchers.shift()?.abort();
  return status;
}

async function upload(): Promise<number> {
  const response = await fetch(`${baseUrl}/api/assets?kind=watermark`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'image/png' },
    body: PICTURES.png,
  });
  await response.arrayBuffer();
  return response.status;
}

/** Repeats a call and counts its answers; a call without an answer counts as `unanswered`. */
async function repeat(kind: string, call: () => Promise<number>): Promise<void> {
  let left = most;
  const one = async () => {
    for (await mayGo.promise; !isOver && left-- > 0; await mayGo.promise) {
      const next = performance.now() + gapMs;
      const outcome = `${kind} ${await call().catch(() => 'unanswered')}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (gapMs > 0) await delay(Math.max(0, next - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

const kinds = Object.entries({ submit, resend, watch, upload });
await Promise.all(kinds.map(([kind, call]) => repeat(kind, call)));
for (const watcher of watchers) watcher.abort();
receiver.closeAllConnections();
receiver.close();
port.postMessage(counts satisfies FloodCounts);
port.close();
