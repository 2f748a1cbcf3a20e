import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_ROOT } from './migrate.ts';

export interface HostsOptions {
  readonly count: number;
  readonly baseUrl: string;
  readonly hostToken: string;
  readonly dataDir: string;
  readonly logLevel: string;
}

const STOP_PATIENCE_MS = 10_000;
const RESTART_MS = 5000;
/** The exit status of a host that a restart does not mend: docs/render-host.md. */
const REFUSED = 2;

/**
 * Starts render hosts as processes, and restarts those that end by themselves. `stop` ends them, and waits for their
 * end.
 */
export function startRenderHosts(options: HostsOptions): { stop(): Promise<void> } {
  const children = new Set<ChildProcess>();
  let isStopping = false;
  const start = () => {
    if (isStopping) return;
    const child = startHost(options);
    children.add(child);
    child.once('exit', (code) => {
      children.delete(child);
      if (code !== REFUSED) setTimeout(start, RESTART_MS).unref();
    });
  };
  for (let n = 0; n < options.count; n++) start();
  return {
    stop: async () => {
      isStopping = true;
      await Promise.all([...children].map(stopChild));
    },
  };
}

function startHost(options: HostsOptions): ChildProcess {
  return fork(join(PROJECT_ROOT, 'packages/render-host/main.ts'), [], {
    env: {
      ...process.env,
      TICKREEL_URL: options.baseUrl,
      TICKREEL_HOST_TOKEN: options.hostToken,
      TICKREEL_WORK_DIR: join(options.dataDir, 'hosts'),
      LOG_LEVEL: options.logLevel,
      // `stop` is waited for, so hosts hand their jobs back at once.
      TICKREEL_DRAIN_S: '0',
    },
    stdio: ['ignore', 2, 2, 'ipc'],
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  clearTimeout(impatience);
}
