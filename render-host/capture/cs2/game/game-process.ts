import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../machine/child-environment.ts';

const run = promisify(execFile);

/** The launcher and the game it starts. */
export interface GameProcess {
  isRunning(): Promise<boolean>;
  /** How the launcher failed, in words; null while it runs, and when it ended well: a loader's work is then done. */
  launchFailure(): string | null;
  /** Ends the game and everything that was started with it. Does nothing once all is gone. */
  kill(): Promise<void>;
}

const STDERR_TAIL = 1000;

/**
 * Starts the launcher. HLAE ends once the game runs, so the launcher's own process tells nothing of the game: on
 * Windows the game is looked for by its program's name, for which a machine has one game; elsewhere by the process
 * group of the launcher.
 *
 * The game gets the environment of `childEnvironment`, hence no token.
 */
export function startGame(
  launcher: readonly [string, ...string[]],
  args: readonly string[],
  program: string,
): GameProcess {
  const [command, ...first] = launcher;
  const child = spawn(command, [...first, ...args], {
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: childEnvironment(),
  });
  const launchFailure = launchFailureOf(child);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return process.platform === 'win32'
    ? { launchFailure, ...byName(basename(program)) }
    : { launchFailure, ...byGroup(child.pid, gone) };
}

function launchFailureOf(child: ChildProcess): () => string | null {
  let failure: string | null = null;
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  child.on('error', (error) => {
    failure = `the launcher did not start: ${error.message}`;
  });
  child.on('exit', (code, signal) => {
    if (code !== 0) failure ??= `the launcher ended with ${signal ?? `code ${code}`}${stderr && `: ${stderr.trim()}`}`;
  });
  // What the launcher leaves running keeps its pipe; that must not keep the host.
  child.unref();
  return () => failure;
}

type Reach = Pick<GameProcess, 'isRunning' | 'kill'>;

function byGroup(pid: number | undefined, gone: Promise<void>): Reach {
  const signal = (name: NodeJS.Signals | 0): boolean => {
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };
  return {
    isRunning: async () => signal(0),
    async kill() {
      signal('SIGKILL');
      await gone;
    },
  };
}

function byName(program: string): Reach {
  return {
    async isRunning() {
      const { stdout } = await run('tasklist', ['/fi', `imagename eq ${program}`, '/nh'], { windowsHide: true });
      return stdout.toLowerCase().includes(program.toLowerCase());
    },
    async kill() {
      // Its exit status says that there was nothing left to end.
      await run('taskkill', ['/f', '/t', '/im', program], { windowsHide: true }).catch(() => {});
    },
  };
}
