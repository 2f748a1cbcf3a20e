import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '#render-host/machine/process-lock.ts';
import { openDataFolder } from './data-folder.ts';
import { runtimesOn } from './data-lock.ts';
import { isStopped } from './processes.ts';
import { rewriteDatabase } from './rewrite-database.ts';

export interface BackupReport {
  readonly files: number;
  readonly bytes: number;
  /** How long the service was paused; 0 if none ran. */
  readonly pausedMs: number;
}

/** A pause ends after this at the latest, whatever happens to this process. */
const LONGEST_PAUSE_S = 20;
const LOOK_MS = 2;
const AT_ONCE = 16;

/** Files of running hosts and stacks, and those that SQLite creates. */
const LEFT_OUT = /^(hosts|lock|stack\.json|stack\.lock)$|-shm$|\.new$/;

/**
 * Copies the data folder of a stack as it is at one moment, also while the stack runs. A start on the copy recovers as
 * after a crash. Files of clips, which never change, are copied first. Then the runtime is paused while the rest is
 * copied. See docs/decisions/045-one-machine.md.
 *
 * @throws an Error if the copy cannot be made or read; then there is none.
 */
export async function backUp(dataDir: string, to: string): Promise<BackupReport> {
  if (!(await stat(join(dataDir, 'version.json')).catch(() => null)))
    throw new Error(`${dataDir} is no folder of a stack`);
  await openDataFolder(dataDir);
  if (await isWithin(dataDir, to)) throw new Error(`${to} lies in ${dataDir}: the next backup would copy it as well`);
  if (await stat(to).catch(() => null))
    throw new Error(`${to} is there already: each backup takes a folder of its own`);
  const part = `${to}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  try {
    const there = new Map<string, number>();
    const isBlob = (path: string) => path.includes(`${sep}blobs${sep}`);
    await copyAll(dataDir, part, (await filesIn(dataDir)).filter(isBlob), there);
    const lock = takeLock(join(dataDir, 'lock'));
    const runtimes = lock === null ? await runtimesOn(dataDir) : [];
    // A stack that is starting or ending may write.
    if (lock === null && runtimes.length === 0) throw new Error(`The stack on ${dataDir} starts or ends: try again`);
    const pausedMs = await paused(runtimes, async () => {
      const now = new Set(await filesIn(dataDir));
      await copyAll(dataDir, part, [...now], there);
      const gone = [...there.keys()].filter((path) => !now.has(path));
      await Promise.all(gone.map((path) => rm(join(part, path), { force: true })));
    }).finally(() => lock?.release());
    const report = { ...(await settle(part)), pausedMs };
    await rename(part, to);
    return report;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** Whether a path is in a folder, with links resolved. The path need not exist yet. */
async function isWithin(folder: string, path: string): Promise<boolean> {
  const real = async (at: string): Promise<string> =>
    realpath(at).catch(async () => join(await real(dirname(at)), basename(at)));
  const way = relative(await realpath(folder), await real(resolve(path)));
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * Copies files. Files of clips may be there already with the same length: they are written once, and are only appended
 * to or deleted while this runs.
 */
async function copyAll(from: string, to: string, paths: readonly string[], there: Map<string, number>): Promise<void> {
  const queue = [...paths];
  const work = async () => {
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const found = await stat(join(from, path)).catch(() => null);
      if (found === null || there.get(path) === found.size) continue;
      await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE).catch(orGone);
      there.set(path, (await stat(join(to, path)).catch(() => found)).size);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function orGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Skips excluded folders, because hosts create and delete folders in them. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const kept = entries.filter(({ name }) => !LEFT_OUT.test(name));
  const inside = kept
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => (await filesIn(join(folder, name))).map((path) => join(name, path)));
  const files = kept.filter((entry) => entry.isFile()).map(({ name }) => name);
  return [...files, ...(await Promise.all(inside)).flat()];
}

/**
 * Runs `work` while processes are stopped, and returns for how long they were. Throws an Error if that was longer than
 * allowed. A shell stops and continues them, so that they continue whatever happens to this process.
 */
export async function paused(
  pids: readonly number[],
  work: () => Promise<void>,
  longestS = LONGEST_PAUSE_S,
): Promise<number> {
  if (pids.length === 0) {
    await work();
    return 0;
  }
  const ids = pids.join(' ');
  // A service manager that ends the backup also ends the shell, which then continues the processes.
  const script = `trap 'kill -CONT ${ids}' EXIT; trap exit HUP INT TERM; kill -STOP ${ids}; sleep ${longestS} & wait`;
  const guard = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
  guard.unref();
  const isOver = () => guard.exitCode !== null || guard.signalCode !== null;
  const begun = performance.now();
  try {
    while (!pids.every(isStopped) && !isOver()) await delay(LOOK_MS);
    if (!isOver()) await work();
    // The processes were continued meanwhile, and have written.
    if (isOver() || !pids.every(isStopped))
      throw new Error(`it took longer than the service may be paused, ${longestS} s`);
  } finally {
    if (guard.pid) signal(-guard.pid, 'SIGKILL');
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
  return performance.now() - begun;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The shell has ended.
  }
}

/** Checks that each database can be read, rewrites it without deleted rows, and counts files and bytes. */
async function settle(folder: string): Promise<{ files: number; bytes: number }> {
  for (const path of await filesIn(folder)) if (path.endsWith('.sqlite')) rewriteDatabase(join(folder, path));
  const paths = await filesIn(folder);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).size));
  return { files: paths.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
