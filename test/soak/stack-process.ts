import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Credentials } from '#stack/credentials.ts';
import { PROJECT_ROOT } from '#stack/project-root.ts';

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
