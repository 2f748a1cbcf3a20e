import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { loadCredentials, loadSecrets } from '#stack/credentials.ts';
import { freePort, RUNTIME, startService } from '#stack/service.ts';

/** A queue to be measured. */
export interface Subject {
  readonly name: string;
  /** Starts it with its files in a new folder. */
  start(folder: string): Promise<Running>;
}

export interface Running {
  /** Submits a job that no host waits for. Resolves when it is stored. */
  submit(): Promise<unknown>;
  /** Submits a job that a host waits for, and returns its id. Missing without hand-over. */
  submitHeld?(): Promise<string>;
  /** Waits like a host, and returns the id of the job that it got. */
  hold?(): Promise<string>;
  /** Ends the last job. */
  finish?(job: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface BenchAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Connections stay open, like a client's; one for each concurrent call. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Returns the client of all subjects. Rejects unless the answer is a success. */
function post(url: string, body: object, token?: string): Promise<BenchAnswer> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const send = () => {
      const sent = request(url, { method: 'POST', headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          if (status >= 300) reject(new Error(`${url} answered ${status}: ${answer}`));
          else resolve({ status, body: answer === '' ? {} : JSON.parse(answer) });
        });
      });
      // A server may close an idle connection at the moment of its reuse.
      sent.on('error', (error) => (sent.reusedSocket ? send() : reject(new Error(`${url}: ${error.message}`))));
      sent.end(text);
    };
    send();
  });
}

/** Returns a Worker whose new object writes one row and one alarm, and answers. `then` is its further code. */
const workerThat = (then: string) => `
  import { DurableObject } from 'cloudflare:workers';
  export class Row extends DurableObject {
    accept(id, body) {
      this.ctx.storage.sql.exec('CREATE TABLE job (body TEXT)');
      this.ctx.storage.sql.exec('INSERT INTO job (body) VALUES (?)', body);
      void this.ctx.storage.setAlarm(Date.now() + 3_600_000);
      ${then}
    }
    alarm() {}
  }
  export class Queue extends DurableObject {
    offer(id) {
      this.ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS queue (id TEXT)');
      this.ctx.storage.sql.exec('INSERT INTO queue (id) VALUES (?)', id);
    }
  }
  export default {
    async fetch(request, env) {
      const id = crypto.randomUUID();
      await env.ROW.getByName(id).accept(id, await request.text());
      return Response.json({ id }, { status: 201 });
    },
  };`;

function bare(name: string, then: string): Subject {
  return {
    name,
    async start(folder) {
      const miniflare = new Miniflare({
        log: new Log(LogLevel.WARN),
        cf: false,
        modules: [{ type: 'ESModule', path: 'worker.mjs', contents: workerThat(then) }],
        compatibilityDate: RUNTIME.compatibilityDate,
        durableObjects: {
          ROW: { className: 'Row', useSQLite: true },
          QUEUE: { className: 'Queue', useSQLite: true },
        },
        durableObjectsPersist: join(folder, 'objects'),
        d1Databases: ['DB'],
        d1Persist: join(folder, 'd1'),
      });
      const url = String(await miniflare.ready);
      const db = await miniflare.getD1Database('DB');
      await db.exec('CREATE TABLE jobs (id TEXT PRIMARY KEY, body TEXT)');
      return {
        submit: () => post(url, { demo_url: 'https://demos.example.com/a.dem.gz', round: 3 }),
        stop: () => miniflare.dispose(),
      };
    },
  };
}

/** The least that the platform needs to accept a job. */
export const floor = bare('floor', '');

/** The same with a queue and a list: one row in a queue's object, one in D1. */
export const floorQueued = bare(
  'floor, queued',
  `void this.env.QUEUE.getByName('queue').offer(id);
      void this.env.DB.prepare('INSERT INTO jobs (id, body) VALUES (?, ?)').bind(id, body).run();`,
);

/** No limit of an account or a host applies. */
const VARIABLES = Object.fromEntries(
  ['LIMIT_REQUESTS', 'LIMIT_SUBMITS', 'LIMIT_HOST_REQUESTS', 'LIMIT_JOBS'].map((name) => [name, '1000000']),
);

const REQUEST = { demo_url: 'https://demos.example.com/a.dem.gz', steam64_id: '76561198000000001', round: 3 };
/** Requests and capabilities that do not match, so that no host waits for these jobs. */
const UNHELD = { ...REQUEST, fps: 120, resolution: 1440 };
const CAPABILITIES = { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null, agent_version: 'bench' };

/** The whole service, like `npm run stack`. */
export const ours: Subject = {
  name: 'tickreel',
  async start(folder) {
    const port = await freePort(0);
    const secrets = await loadSecrets(folder);
    const service = await startService({
      fenceFloor: 0,
      port,
      dataDir: folder,
      timeScale: 1,
      secrets,
      variables: VARIABLES,
      onRuntime: () => {},
    });
    const { baseUrl } = service;
    const { metered_key: key, host_token: token } = await loadCredentials(folder, baseUrl, secrets);
    const fences = new Map<string, unknown>();
    const clips = `${baseUrl}/api/clips`;
    return {
      submit: () => post(clips, UNHELD, key),
      submitHeld: async () => String((await post(clips, REQUEST, key)).body.job_id),
      async hold() {
        const claim = { capabilities: CAPABILITIES, wait_s: 20, poll_id: randomUUID() };
        const { job_id, lease } = (await post(`${baseUrl}/gateway/v1/claim`, claim, token)).body;
        fences.set(String(job_id), (lease as { fence?: unknown } | undefined)?.fence);
        return String(job_id);
      },
      finish: (job) => {
        const report = { fence: fences.get(job), code: 'demo_404', detail: 'a benchmark' };
        return post(`${baseUrl}/gateway/v1/jobs/${job}/fail`, report, token);
      },
      stop: () => service.stop(),
    };
  },
};
