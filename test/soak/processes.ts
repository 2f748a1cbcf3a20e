import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment } from '#render-host/machine/program.ts';
import type { Credentials } from '#stack/credentials.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';

/** The phases of a host, as in its log. `completing` is the end of `upload`. */
const PHASES = ['waiting', 'prefetch', 'render', 'upload', 'completing'] as const;
export type Phase = (typeof PHASES)[number];

export interface HostProcess {
  readonly phase: Phase | null;
  /** The present job. */
  readonly job: string | null;
  readonly isAlive: boolean;
  /** Resolves with true when the host is in the phase; with false after `patienceMs`, or when the host ended. */
  reach(phase: Phase, patienceMs: number): Promise<boolean>;
  /** Stops the process without ending it. The system keeps what is sent to it. */
  freeze(): void;
  /** Resolves when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

interface LogLine {
  readonly msg: string;
  readonly job?: string;
  readonly phase?: string;
}

/** Starts a real render host. Its state is read from its log, because nothing polls the service. */
export function startHost(environment: Record<string, string>): HostProcess {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'packages/render-host/main.ts')], {
    env: { ...bareEnvironment(), PATH: process.env.PATH, LOG_LEVEL: 'debug', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  const state: { phase: Phase | null; job: string | null } = { phase: null, job: null };
  const listeners = new Set<() => void>();
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const enter = (phase: Phase | null, job: string | null) => {
    Object.assign(state, { phase, job });
    for (const listener of [...listeners]) listener();
  };
  createInterface({ input: child.stderr }).on('line', (text) => {
    if (!text.startsWith('{')) return void process.stderr.write(`${text}\n`);
    const line: LogLine = JSON.parse(text);
    const { msg, phase } = line;
    const job = line.job ?? null;
    if (msg === 'asking for work') enter('waiting', null);
    else if (msg === 'job claimed') enter('prefetch', job);
    else if (msg === 'completing') enter('completing', job);
    else if (msg === 'no answer from the gateway; trying again') enter(null, null);
    else if (msg === 'phase changed' && phase === 'idle') enter(null, null);
    else if (msg === 'phase changed') enter(PHASES.find((known) => known === phase) ?? null, job);
  });
  void gone.then(() => enter(null, null));

  return {
    get phase() {
      return state.phase;
    },
    get job() {
      return state.job;
    },
    get isAlive() {
      return isAlive();
    },
    reach: (phase, patienceMs) =>
      new Promise((resolve) => {
        const stopWaiting = (reached: boolean) => {
          clearTimeout(timer);
          listeners.delete(look);
          resolve(reached);
        };
        const look = () => {
          if (state.phase === phase) stopWaiting(true);
          else if (!isAlive()) stopWaiting(false);
        };
        const timer = setTimeout(() => stopWaiting(false), patienceMs);
        listeners.add(look);
        look();
      }),
    freeze: () => void child.kill('SIGSTOP'),
    async end(signal) {
      if (isAlive()) child.kill(signal);
      const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await gone;
      clearTimeout(impatience);
    },
  };
}

/** Returns the ids of the descendants of this process. Reads /proc, so it needs Linux. */
export function descendants(): string[] {
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      parents.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '');
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === String(process.pid) || isOurs(parents.get(pid)));
  return [...parents.keys()].filter(isOurs);
}

/** Watches the peak memory of the descendants of this process, in MB by the name of the program that each runs. */
export function watchMemory() {
  const peaks = new Map<string, number>();
  const timer = setInterval(() => {
    for (const pid of descendants()) {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const name = basename(words.find((word) => word.endsWith('.ts')) ?? words[0] ?? '');
        const kib = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        if (kib) peaks.set(name, Math.max(peaks.get(name) ?? 0, Math.round((Number(kib) * 1024) / 1e6)));
      } catch {
        // It has ended.
      }
    }
  }, 100);
  return { peaks, stop: () => clearInterval(timer) };
}

export interface StackSettings {
  readonly dataDir: string;
  readonly port: number;
  /** Null for the lease of a deployment. */
  readonly leaseSeconds: number | null;
}

export interface StackProcess {
  readonly isUp: boolean;
  /** Starts it on its folder and port, and resolves when it is ready. */
  start(): Promise<Credentials>;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Retries and webhooks wait a thousandth of their time, because the test looks for stuck jobs. */
const TIME_SCALE = '0.001';

/** Creates the real stack as a process without hosts of its own, so that each part can be killed alone. */
export function createStackProcess({ dataDir, port, leaseSeconds }: StackSettings): StackProcess {
  let child: ChildProcess | null = null;
  let isUp = false;
  return {
    get isUp() {
      return isUp;
    },
    async start() {
      const args = ['--port', String(port), '--data', dataDir, '--hosts', '0', '--time-scale', TIME_SCALE];
      const lease = leaseSeconds === null ? [] : ['--lease-s', String(leaseSeconds)];
      const started = spawn(process.execPath, [join(PROJECT_ROOT, 'packages/stack/stack-cli.ts'), ...args, ...lease], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      const ready = await new Promise<string>((resolve, reject) => {
        createInterface({ input: started.stdout }).once('line', resolve);
        started.once('exit', (code, signal) => reject(new Error(`the stack ended with ${signal ?? code}`)));
      });
      isUp = true;
      return JSON.parse(ready);
    },
    async end(signal) {
      isUp = false;
      if (child?.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}
