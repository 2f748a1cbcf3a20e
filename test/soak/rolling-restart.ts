import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { freePort } from '#stack/service.ts';
import { startReceiver } from '../support/receiver.ts';
import { serveShortDemo } from '../support/short-demo.ts';
import { createStackProcess } from './processes.ts';
import { attemptsIn, createJobs, judgeJobs, judgeStores, type Violations } from './verdict.ts';

export interface RollingOptions {
  /** The number of processes of the example host, which renders almost nothing, and of our own host. */
  readonly exampleHosts: number;
  readonly ownHosts: number;
  /** How many are stopped at a time. */
  readonly atOnce: number;
  /** How many jobs are open at each restart: more than hosts, so that each host works. */
  readonly load: number;
  readonly say: (line: string) => void;
}

export interface RollingReport {
  readonly restarts: number;
  readonly jobs: number;
  /** Jobs whose outcome arrived. */
  readonly arrived: number;
  readonly webhooks: number;
  readonly violations: Violations;
}

/** A host that neither finishes nor returns its job for so long has lost it. */
const PATIENCE_MS = 5 * 60_000;
const EXAMPLE = join(PROJECT_ROOT, 'docs/examples/host/host.mjs');
const OWN = join(PROJECT_ROOT, 'packages/render-host/main.ts');

/**
 * Stops and replaces every host of a fleet, some at a time, while there are more jobs than hosts. Violations: a job
 * that loses an attempt, has no outcome or has two, and a host with an exit status other than 0.
 */
export async function runRollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { exampleHosts, ownHosts, atOnce, load, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-rolling-'));
  const dataDir = join(folder, 'data');
  const demo = await serveShortDemo(folder);
  const receiver = await startReceiver();
  const port = await freePort(0);
  const stack = createStackProcess({ dataDir, port, leaseSeconds: null });
  const credentials = await stack.start();
  const baseUrl = `http://127.0.0.1:${port}`;
  const jobs = createJobs(() => ({ baseUrl, key: credentials.metered_key }), demo.request, receiver);
  const living = new Set<ChildProcess>();
  /** `ready`: it has written a line, so it runs and can be stopped. */
  const start = (program: string) => {
    const environment = {
      ...bareEnvironment(),
      PATH: process.env.PATH,
      LOG_LEVEL: 'info',
      TICKREEL_WORK_DIR: join(folder, 'work'),
      TICKREEL_URL: baseUrl,
      TICKREEL_HOST_TOKEN: credentials.host_token,
      FFMPEG_PATH: createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg').path as string,
    };
    const child = spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    const ready = once(child.stderr, 'data').then(() => void child.stderr.resume());
    living.add(child);
    child.once('exit', () => living.delete(child));
    return { child, ready };
  };
  const violations: Record<string, string[]> = { 'hosts that did not end well': [], 'webhooks sent twice': [] };
  const stop = async ({ child, ready }: ReturnType<typeof start>, name: string): Promise<void> => {
    await ready;
    const gone = once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
    child.kill('SIGTERM');
    const [status] = await gone.catch(() => ['stranded']);
    if (status !== 0) violations['hosts that did not end well']?.push(`${name}: ${child.signalCode ?? status}`);
  };
  let submitted = 0;
  /** Each is submitted twice, at once with others: one at a time would be slower than the fleet. */
  const fill = async (): Promise<void> => {
    const missing = Math.max(0, load - jobs.open().length);
    await Promise.all(Array.from({ length: missing }, () => jobs.submit(`rolling-${submitted++}`)));
  };
  const untilOpen = async (most: number): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (jobs.open().length > most && Date.now() < deadline) await delay(50);
  };
  try {
    const programs = Array.from({ length: exampleHosts + ownHosts }, (_, i) => (i < ownHosts ? OWN : EXAMPLE));
    await fill();
    const hosts = programs.map((program) => ({ program, host: start(program) }));
    await Promise.all(hosts.map(({ host }) => host.ready));
    await untilOpen(load - 1);
    for (let first = 0; first < hosts.length; first += atOnce) {
      await fill();
      const batch = hosts.slice(first, first + atOnce);
      const leaving = batch.map(({ host }, i) => stop(host, `host ${first + i + 1}`));
      for (const place of batch) place.host = start(place.program);
      await Promise.all(leaving);
      say(`${first + batch.length} of ${hosts.length} hosts restarted, ${jobs.open().length} jobs open`);
    }
    await untilOpen(0);
    await Promise.all(hosts.map(({ host }, i) => stop(host, `host ${i + 1} of the second`)));
    const judged = await judgeJobs({ baseUrl, token: credentials.metered_key }, jobs.acknowledged, receiver.arrivals);
    await stack.end('SIGTERM');
    const attempts = await attemptsIn(dataDir);
    const byJob = Map.groupBy(receiver.arrivals, ({ body }) => String(body.job_id));
    Object.assign(violations, judged.violations, await judgeStores(dataDir, judged.done), {
      'jobs that are not done': [...jobs.acknowledged].filter((job) => !judged.done.includes(job)),
      'attempts lost': [...jobs.acknowledged].filter((job) => attempts.get(job) !== 1),
      // A receiver that answers slowly on a busy machine rightly gets another attempt.
      'webhooks sent twice': [...byJob]
        .filter(([job, times]) => times.length > Math.max(1, judged.tried.get(job) ?? 0))
        .map(([job]) => job),
    });
    const { size } = jobs.acknowledged;
    return { restarts: hosts.length, jobs: size, arrived: byJob.size, webhooks: receiver.arrivals.length, violations };
  } finally {
    for (const child of living) child.kill('SIGKILL');
    await stack.end('SIGTERM');
    receiver.stop();
    await demo.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
