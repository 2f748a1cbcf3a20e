import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Miniflare } from 'miniflare';
import { createTickreel } from '#client/index.ts';
import type { SubmitRequest } from '#protocol/clip/submit.ts';
import { DeliveryList } from '#protocol/job/delivery-view.ts';
import { type Arrival, isTaken, type Receiver } from '../support/receiver.ts';

const MOST_ATTEMPTS = 10;

/** The faults that must not occur, each with the ids of its jobs. */
export type Violations = Record<string, string[]>;

/**
 * Reads each job once at the end, and compares it with the webhooks that arrived. `tried`: the number of attempts of
 * its webhook by job, as the service reports it.
 */
export async function judgeJobs(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  jobs: Iterable<string>,
  received: readonly Arrival[],
): Promise<{ violations: Violations; done: string[]; tried: Map<string, number> }> {
  const client = createTickreel({ baseUrl, apiKey: token });
  const violations: Violations = {
    'without an outcome': [],
    'clips that are not there': [],
    'webhooks lost or unlike the job': [],
    'more than one delivery of one outcome': [],
    'more than ten attempts': [],
    'tried again once taken': [],
  };
  const blame = (what: string, job: string) => void violations[what]?.push(job);
  const done: string[] = [];
  const tried = new Map<string, number>();
  for (const id of jobs) {
    const job = await client.jobs.get(id);
    if (job.status !== 'done' && job.status !== 'error') {
      blame('without an outcome', id);
      continue;
    }
    if (job.status === 'done') {
      done.push(id);
      const clip = job.clip_id === null ? null : await client.clips.get(job.clip_id);
      if (clip?.state !== 'ready') blame('clips that are not there', id);
    }
    const arrivals = received.filter(({ body }) => body.job_id === id);
    const event = job.status === 'done' ? 'job.completed' : 'job.failed';
    const isTrue = arrivals.every(({ body }) => body.event === event && body.error_code === job.error_code);
    if (!arrivals.some(isTaken) || !isTrue) blame('webhooks lost or unlike the job', id);
    const deliveries = await deliveriesOf(baseUrl, token, id);
    const ids = new Set([...arrivals.map(({ deliveryId }) => deliveryId), ...deliveries.map(({ id }) => id)]);
    if (ids.size !== 1) blame('more than one delivery of one outcome', id);
    if (arrivals.length > MOST_ATTEMPTS || deliveries.some(({ attempts }) => attempts.length > MOST_ATTEMPTS)) {
      blame('more than ten attempts', id);
    }
    const attempts = deliveries.flatMap(({ attempts }) => attempts);
    tried.set(id, attempts.length);
    if (attempts.slice(0, -1).some(({ http_status: status }) => status !== null && status < 300)) {
      blame('tried again once taken', id);
    }
  }
  return { violations, done, tried };
}

async function deliveriesOf(baseUrl: string, token: string, job: string): Promise<DeliveryList['deliveries']> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${baseUrl}/api/jobs/${job}/deliveries`, { headers });
  return DeliveryList.parse(await response.json()).deliveries;
}

/** Reads what a stopped stack left in its folder: the bucket, and the stored usage. */
export async function judgeStores(dataDir: string, done: readonly string[]): Promise<Violations> {
  const { keys, rendered, clipIds } = await readStores(dataDir);
  const byClip = Map.groupBy(keys, (key) => key.split('/')[1] ?? '');
  const clips = new Set(done.map((id) => clipIds.get(id) ?? `of job ${id}`));
  const isWhole = (files: readonly string[]) => {
    const names = files.map((key) => key.split('/')[3]).sort();
    const isOneAttempt = new Set(files.map((key) => key.split('/')[2])).size === 1;
    return isOneAttempt && /^(storyboard.jpg,)?thumbnail.jpg,video.mp4$/.test(names.join());
  };
  return {
    'clips without their files, or with others': [...clips].filter((clip) => !isWhole(byClip.get(clip) ?? [])),
    'files of no clip': keys.filter((key) => !clips.has(key.split('/')[1] ?? '')),
    'uploads that nobody owns': await unfinishedUploads(dataDir),
    'done and not billed once': done.filter((job) => rendered.filter((id) => id === job).length !== 1),
    'billed and not done': rendered.filter((id) => !done.includes(id)),
  };
}

async function readStores(
  dataDir: string,
): Promise<{ keys: string[]; rendered: string[]; clipIds: Map<string, string> }> {
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: 'export default {}' }],
    compatibilityDate: '2026-07-01',
    cf: false,
    d1Databases: { DB: 'tickreel' },
    d1Persist: join(dataDir, 'd1'),
    r2Buckets: { CLIPS: 'tickreel-clips' },
    r2Persist: join(dataDir, 'r2'),
  });
  try {
    const bucket = await miniflare.getR2Bucket('CLIPS');
    const keys: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await bucket.list({ prefix: 'clips/', ...(cursor === undefined ? {} : { cursor }) });
      keys.push(...page.objects.map(({ key }) => key));
      if (!page.truncated) break;
      cursor = page.cursor;
    }
    const database = await miniflare.getD1Database('DB');
    const { results } = await database.prepare('SELECT job_id FROM usage').all<{ job_id: string }>();
    const clips = await database.prepare('SELECT id, job_id FROM clips').all<{ id: string; job_id: string }>();
    const clipIds = new Map(clips.results.map(({ id, job_id }) => [job_id, id]));
    return { keys, rendered: results.map(({ job_id }) => job_id), clipIds };
  } finally {
    await miniflare.dispose();
  }
}

/** Returns the number of attempts of each job in its last run. Only the job's object has it. */
export async function attemptsIn(dataDir: string): Promise<Map<string, number>> {
  const objects = join(dataDir, 'objects');
  const names = await readdir(objects, { recursive: true });
  const states = names.flatMap((name) => {
    if (!name.endsWith('.sqlite')) return [];
    const database = new DatabaseSync(join(objects, name), { readOnly: true });
    try {
      const isJob = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'job'").get() !== undefined;
      return isJob ? [JSON.parse(String(database.prepare('SELECT state FROM job').get()?.state))] : [];
    } finally {
      database.close();
    }
  });
  return new Map(states.map(({ id, attempt }) => [String(id), Number(attempt)]));
}

/** Reads the local bucket's own table, because no API lists unfinished uploads. */
async function unfinishedUploads(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'r2', 'miniflare-R2BucketObject');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite');
  return files.flatMap((name) => {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    const rows = database.prepare('SELECT key FROM _mf_multipart_uploads WHERE state = 0').all();
    database.close();
    return rows.map(({ key }) => String(key));
  });
}

/** The jobs that the service accepted, by id, and whether their webhook has arrived. */
export interface Jobs {
  readonly acknowledged: ReadonlySet<string>;
  open(): string[];
  /** Submits until it is accepted; the idempotency key makes repetitions safe. */
  submit(key: string): Promise<void>;
  /** Submissions that returned another job than before. */
  readonly confused: readonly string[];
}

const PATIENCE_MS = 180_000;

export function createJobs(
  target: () => { readonly baseUrl: string; readonly key: string },
  request: SubmitRequest,
  receiver: Receiver,
): Jobs {
  const acknowledged = new Set<string>();
  const confused: string[] = [];
  const post = async (idempotency_key: string): Promise<string | null> => {
    const { baseUrl, key } = target();
    const response = await fetch(`${baseUrl}/api/clips`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...request, webhook_url: receiver.url, idempotency_key }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    if (!response?.ok) return null;
    const answer = (await response.json().catch(() => null)) as { job_id: string } | null;
    return answer?.job_id ?? null;
  };
  return {
    acknowledged,
    confused,
    open() {
      const arrived = new Set(receiver.arrivals.filter(isTaken).map(({ body }) => body.job_id));
      return [...acknowledged].filter((job) => !arrived.has(job));
    },
    async submit(key) {
      const deadline = Date.now() + PATIENCE_MS;
      let job: string | null = null;
      while (job === null && Date.now() < deadline) {
        job = await post(key);
        if (job === null) await delay(100);
      }
      if (job === null) throw new Error(`nobody took the job ${key} for ${PATIENCE_MS / 1000} s`);
      acknowledged.add(job);
      const again = await post(key);
      if (again !== null && again !== job) confused.push(key);
    },
  };
}
