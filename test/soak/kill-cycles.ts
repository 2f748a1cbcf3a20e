import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from '#stack/credentials.ts';
import { freePort } from '#stack/service.ts';
import { startReceiver } from '../support/receiver.ts';
import { serveShortDemo } from '../support/short-demo.ts';
import { createStackProcess, type HostProcess, type Phase, type StackProcess, startHost } from './processes.ts';
import { createRandom, pick } from './random.ts';
import { createJobs, judgeJobs, judgeStores, type Violations } from './verdict.ts';

export interface Capacity {
  readonly isUp: boolean;
  /** Living hosts that wait for work. */
  readonly idleHosts: number;
  /** Jobs that living hosts work on. */
  readonly worked: ReadonlySet<string>;
}

const STEP_MS = 100;

/**
 * Measures how long a job was idle although it could have been worked on: the time with the service up and a living
 * host waiting for work, since a living host had the job or its outcome arrived. Time without a free host is not
 * counted, and does not reset the count.
 */
function startIdleClock(openJobs: () => Iterable<string>, capacity: () => Capacity) {
  const idle = new Map<string, number>();
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    const { isUp, idleHosts, worked } = capacity();
    for (const job of openJobs()) {
      if (worked.has(job)) idle.set(job, 0);
      else if (isUp && idleHosts > 0) idle.set(job, (idle.get(job) ?? 0) + elapsed);
      longest = Math.max(longest, idle.get(job) ?? 0);
    }
  }, STEP_MS);
  return {
    /** Returns the longest idle time of a job since the last call, in seconds. */
    takeLongest(): number {
      const taken = longest / 1000;
      longest = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

export interface KillOptions {
  readonly cycles: number;
  readonly leaseSeconds: number;
  /** How many of the cycles, the last ones, use the lease of a deployment. */
  readonly realLeaseCycles: number;
  readonly seed: number;
  /** The most jobs that a cycle submits. */
  readonly load: number;
  /** How long a job may be idle beyond a lease. */
  readonly slackSeconds: number;
  /** Ends the cycles early. The checks are the same. */
  readonly maxMinutes: number;
  /** Seconds without load at the end. The cron may run; its sweep finds no file that is old enough. */
  readonly restSeconds: number;
  readonly say: (line: string) => void;
}

export interface KillReport {
  readonly cycles: number;
  /** The number of kills of each kind. */
  readonly deaths: Readonly<Record<string, number>>;
  readonly jobs: number;
  readonly done: number;
  readonly webhooks: number;
  /** Seconds, with the short lease and with the real one. */
  readonly longestIdle: { readonly short: number; readonly real: number };
  readonly violations: Violations;
}

const HOSTS = 2;
const REAL_LEASE_S = 60;
const STUCK = 'stuck for longer than a lease and the slack';
/** No further jobs are submitted while so many are open. */
const MOST_OPEN = 4;
/** The share of cycles after which every job must be done. */
const DRAINED = 1 / 3;
/** The receiver refuses one in so many webhooks. */
const REFUSED = 10;

const DEATHS = [
  'stack SIGKILL',
  'stack SIGKILL',
  'stack SIGTERM',
  'stack SIGKILL starting',
  'host SIGKILL waiting',
  'host SIGKILL prefetch',
  'host SIGKILL render',
  'host SIGKILL upload',
  'host SIGKILL completing',
  'host SIGTERM waiting',
  'host SIGTERM render',
  'host SIGTERM upload',
  'nothing',
] as const;
type Death = (typeof DEATHS)[number];

/**
 * Kills real processes while jobs run. Outcomes arrive by webhook only, and each job is read once, at the end. The seed
 * determines what is killed and when; how far each process got depends on the machine.
 */
export async function runKillCycles(options: KillOptions): Promise<KillReport> {
  const { cycles, realLeaseCycles, leaseSeconds, say } = options;
  const random = createRandom(options.seed);
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-soak-'));
  const dataDir = join(folder, 'data');
  const demo = await serveShortDemo(folder);
  // A random sequence of its own: webhooks arrive at any time, and the kills must depend on the seed alone.
  const refusals = createRandom(options.seed + 1);
  const receiver = await startReceiver(() => (refusals() < 1 / REFUSED ? 503 : 204));
  const port = await freePort(0);
  const stackWith = (lease: number | null) => createStackProcess({ dataDir, port, leaseSeconds: lease });
  let isReal = realLeaseCycles >= cycles;
  let stack: StackProcess = stackWith(isReal ? null : leaseSeconds);
  const hosts: HostProcess[] = [];
  const deaths: Record<string, number> = {};
  const longestIdle = { short: 0, real: 0 };
  const begun = performance.now();
  let credentials: Credentials = await stack.start();
  const startMs = performance.now() - begun;
  const baseUrl = `http://127.0.0.1:${port}`;
  const jobs = createJobs(() => ({ baseUrl, key: credentials.metered_key }), demo.request, receiver);
  const living = () => hosts.filter(({ isAlive }) => isAlive);
  const clock = startIdleClock(jobs.open, () => ({
    isUp: stack.isUp,
    idleHosts: living().filter(({ phase }) => phase === 'waiting').length,
    worked: new Set(living().flatMap(({ job }) => job ?? [])),
  }));
  const noteIdle = () => {
    const seconds = clock.takeLongest();
    const lease = isReal ? 'real' : 'short';
    longestIdle[lease] = Math.max(longestIdle[lease], seconds);
    return seconds;
  };
  const fillHosts = () => {
    while (living().length < HOSTS) {
      // A stopped host returns its job. This tests the job, not the clip.
      const leaving = { TICKREEL_DRAIN_S: '0' };
      const environment = { ...leaving, TICKREEL_URL: baseUrl, TICKREEL_HOST_TOKEN: credentials.host_token };
      hosts.push(startHost({ ...environment, TICKREEL_WORK_DIR: join(folder, 'work') }));
    }
  };
  const restartStack = async (signal: 'SIGKILL' | 'SIGTERM') => {
    await stack.end(signal);
    credentials = await stack.start();
  };
  /** Starts it and kills it at a random moment before it is ready. Returns false if it was ready first. */
  const killStarting = async (): Promise<boolean> => {
    const ready = stack.start().then(
      () => true,
      () => false,
    );
    const isReady = await Promise.race([ready, delay(random() * startMs, false)]);
    await stack.end('SIGKILL');
    await ready;
    return !isReady;
  };
  /** The longest idle time of a job. A job with a longer one is stuck. */
  const bound = () => (isReal ? REAL_LEASE_S : leaseSeconds) + options.slackSeconds;
  /**
   * Waits until at most `most` jobs are open. Returns false if none ends for twice the time after which a job is stuck.
   */
  const untilOpen = async (most: number): Promise<boolean> => {
    let least = jobs.open().length;
    let since = Date.now();
    while (jobs.open().length > most) {
      if (jobs.open().length < least) {
        least = jobs.open().length;
        since = Date.now();
      }
      if (Date.now() - since > 2 * bound() * 1000) return false;
      await delay(100);
    }
    return true;
  };
  const die = async (death: Death): Promise<boolean> => {
    const [who, signal = '', phase = ''] = death.split(' ') as [string, 'SIGKILL' | 'SIGTERM' | undefined, Phase?];
    if (who === 'nothing' || signal === '') return true;
    if (who === 'stack') {
      await delay(random() * 1500);
      if (death !== 'stack SIGKILL starting') {
        await restartStack(signal);
        return true;
      }
      await stack.end(signal);
      const isKilled = await killStarting();
      credentials = await stack.start();
      return isKilled;
    }
    const arrivals = living().map(async (host) => ((await host.reach(phase as Phase, 8000)) ? host : null));
    const victim = await Promise.race([...arrivals, Promise.all(arrivals).then((all) => all.find(Boolean) ?? null)]);
    await victim?.end(signal);
    return victim !== null;
  };

  const violations: Violations = { [STUCK]: [] };
  const deadline = Date.now() + options.maxMinutes * 60_000;
  let cycle = 0;
  try {
    for (; cycle < cycles && Date.now() < deadline; cycle++) {
      if (!isReal && cycle >= cycles - realLeaseCycles) {
        await untilOpen(0);
        noteIdle();
        await stack.end('SIGTERM');
        isReal = true;
        stack = stackWith(null);
        credentials = await stack.start();
      }
      fillHosts();
      const death = pick(random, DEATHS);
      const count = 1 + Math.floor(random() * options.load);
      const submits = Array.from({ length: count }, (_, i) => jobs.submit(`${options.seed}-${cycle}-${i}`));
      const [, died] = await Promise.all([Promise.all(submits), die(death)]);
      if (died) deaths[death] = (deaths[death] ?? 0) + 1;
      fillHosts();
      // Under load, a stuck job cannot be distinguished from a waiting one, so some cycles wait until every job is
      // done.
      const isMoving = await untilOpen(random() < DRAINED ? 0 : MOST_OPEN);
      const idle = noteIdle();
      if (idle > bound()) violations[STUCK]?.push(`cycle ${cycle + 1}`);
      const state = `jobs ${jobs.acknowledged.size}, open ${jobs.open().length}, idle for ${idle.toFixed(1)} s at most`;
      say(`cycle ${cycle + 1}/${cycles}  ${(died ? death : `${death} (not reached)`).padEnd(36)} ${state}`);
      if (isMoving) continue;
      cycle++;
      break;
    }
    fillHosts();
    const isOver = await untilOpen(0);
    if (noteIdle() > bound() || !isOver) violations[STUCK]?.push('at the end');
    if (jobs.confused.length > 0) violations['other jobs under the same key'] = [...jobs.confused];
    await delay(options.restSeconds * 1000);
    const judged = await judgeJobs({ baseUrl, token: credentials.metered_key }, jobs.acknowledged, receiver.arrivals);
    await Promise.all(living().map((host) => host.end('SIGTERM')));
    await stack.end('SIGTERM');
    Object.assign(violations, judged.violations, await judgeStores(dataDir, judged.done));
    const { size } = jobs.acknowledged;
    const webhooks = receiver.arrivals.length;
    return { cycles: cycle, deaths, jobs: size, done: judged.done.length, webhooks, longestIdle, violations };
  } finally {
    clock.stop();
    await Promise.all(living().map((host) => host.end('SIGKILL')));
    await stack.end('SIGTERM');
    receiver.stop();
    await demo.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
