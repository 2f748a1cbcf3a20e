import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { childEnvironment, output } from '../../../machine/program.ts';

/** The launcher and the game it starts. */
export interface GameProcess {
  isRunning(): Promise<boolean>;
  /**
   * Returns why the launcher failed. Null while it runs and after it ended well, because a loader ends once the game
   * runs.
   */
  launchFailure(): string | null;
  /** Returns the memory of the game and its children in bytes; null if the system has no such number. */
  memory(): Promise<number | null>;
  /** Ends the game and all its children. Does nothing once they have ended. */
  kill(): Promise<void>;
}

const STDERR_TAIL = 1000;

/**
 * Starts the launcher. HLAE ends once the game runs, so the launcher's process says nothing about the game. On Windows
 * the game is found by the name of its program, so a machine runs one game. Elsewhere it is found by the launcher's
 * process group.
 *
 * The game gets the environment of `childEnvironment`, which has no token.
 */
export function startGame(
  launcher: readonly [string, ...string[]],
  args: readonly string[],
  program: string,
  environment: Readonly<Record<string, string>> = {},
  isWindows = process.platform === 'win32',
): GameProcess {
  const [command, ...first] = launcher;
  const child = spawn(command, [...first, ...args], {
    detached: !isWindows,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...childEnvironment(), ...environment },
  });
  const launchFailure = launchFailureOf(child);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return isWindows
    ? { launchFailure, ...byName(basename(program), child) }
    : { launchFailure, ...byGroup(child.pid, gone) };
}

/** Ends each game of this machine by the name of its program (Windows). Resolves with whether none is left. */
export async function endGames(program: string): Promise<boolean> {
  if (process.platform !== 'win32') return false;
  await taskkill(basename(program));
  return true;
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
  // Children of the launcher keep its pipe open. That must not keep the host running.
  child.unref();
  return () => failure;
}

type Reach = Pick<GameProcess, 'isRunning' | 'memory' | 'kill'>;

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
    memory: async () => (pid === undefined ? null : await memoryOfGroup(pid).catch(() => null)),
    async kill() {
      signal('SIGKILL');
      await gone;
    },
  };
}

const PAGE_BYTES = 4096;

/** Returns the resident memory of a process group, from /proc. */
async function memoryOfGroup(group: number): Promise<number | null> {
  let pages = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end meanwhile. Its name may contain anything; after it come state, parent and group.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) continue;
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    pages += Number(statm.split(' ')[1] ?? 0);
  }
  return pages === 0 ? null : pages * PAGE_BYTES;
}

/** Fails if no process was left to end. */
function taskkill(program: string): Promise<unknown> {
  return output('taskkill', ['/f', '/t', '/im', program]);
}

function byName(program: string, launcher: ChildProcess): Reach {
  const list = (...form: readonly string[]): Promise<string | null> =>
    output('tasklist', ['/fi', `imagename eq ${program}`, ...form, '/nh']);
  return {
    async isRunning() {
      const said = await list();
      // If the system does not answer in time, the game's console decides.
      return said === null || said.toLowerCase().includes(program.toLowerCase());
    },
    async memory() {
      const said = await list('/fo', 'csv');
      // "cs2.exe","4711","Console","1","5.123.456 K", with the separators of the system's language.
      const kilobytes = /"([\d.,\s\u00a0\u202f]+) K"\s*$/m.exec(said ?? '')?.[1]?.replace(/\D/g, '');
      return kilobytes === undefined ? null : Number(kilobytes) * 1024;
    },
    async kill() {
      await taskkill(program);
      // HLAE ends once the game runs. After an error its window stays open, one for each start.
      launcher.kill();
    },
  };
}

/** Finds the dump that the game writes next to its program when it crashes. */
export interface CrashDumps {
  /** Returns the name of a new dump, or null. */
  fresh(): Promise<string | null>;
}

/** Remembers the dumps of earlier crashes. `program` is the path of the game. */
export async function listenForCrashDumps(program: string): Promise<CrashDumps> {
  const folder = dirname(program);
  const before = new Set(await dumpsIn(folder));
  return { fresh: async () => (await dumpsIn(folder)).find((name) => !before.has(name)) ?? null };
}

async function dumpsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.mdmp'));
}
