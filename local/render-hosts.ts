import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';

export interface HostsOptions {
  readonly count: number;
  readonly baseUrl: string;
  readonly hostToken: string;
  readonly dataDir: string;
  readonly logLevel: string;
}

const STOP_PATIENCE_MS = 10_000;

/** Starts render hosts as processes of their own. `stop` ends them, and waits until they are gone. */
export function startRenderHosts(options: HostsOptions): { stop(): Promise<void> } {
  const children = Array.from({ length: options.count }, () =>
    fork(join(PROJECT_ROOT, 'render-host/main.ts'), [], {
      env: {
        ...process.env,
        TICKREEL_URL: options.baseUrl,
        TICKREEL_HOST_TOKEN: options.hostToken,
        TICKREEL_WORK_DIR: join(options.dataDir, 'hosts'),
        LOG_LEVEL: options.logLevel,
        // Whoever stops a stack waits for it; its hosts hand their jobs back at once.
        TICKREEL_DRAIN_S: '0',
      },
      stdio: ['ignore', 2, 2, 'ipc'],
    }),
  );
  return { stop: async () => void (await Promise.all(children.map(stopChild))) };
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
    child.once('exit', () => {
      clearTimeout(impatience);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
