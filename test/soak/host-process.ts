import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment } from '#render-host/machine/child-environment.ts';
import { PROJECT_ROOT } from '#stack/project-root.ts';

/** Where a host is, as its log tells. `completing` is the end of `upload`. */
const PHASES = ['waiting', 'prefetch', 'render', 'upload', 'completing'] as const;
export type Phase = (typeof PHASES)[number];

export interface HostProcess {
  readonly phase: Phase | null;
  /** The job that it works on. */
  readonly job: string | null;
  readonly isAlive: boolean;
  /**
   * Resolves when it enters the phase, or at once when it is in it; false when that took longer than `patienceMs`, or
   * it ended.
   */
  reach(phase: Phase, patienceMs: number): Promise<boolean>;
  /** It lives and does nothing any more, until it is ended: what comes to it is kept by the system. */
  freeze(): void;
  /** Resolves when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

interface LogLine {
  readonly msg: string;
  readonly job?: string;
  readonly phase?: string;
}

/** A real render host. Everything is read off its log: nobody asks the service. */
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
