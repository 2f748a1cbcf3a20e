import { execFileSync, spawn } from 'node:child_process';
import { constants, statSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '#render-host/machine/work-dir.ts';
import { BACKUP_FILE, type BackupFiles, newestBackup } from './backups.ts';
import { openDataFolder, rewriteDatabase } from './data-folder.ts';
import { runtimesOn, writeJson } from './data-lock.ts';
import { isStopped } from './processes.ts';

export interface BackupReport {
  readonly files: number;
  readonly bytes: number;
  /** Bytes of files that the backup before does not have. */
  readonly newBytes: number;
  /** How long the service was paused; 0 if none ran. */
  readonly pausedMs: number;
}

/** A pause ends after this at the latest, whatever happens to this process. */
const LONGEST_PAUSE_S = 20;
const LOOK_MS = 2;
const AT_ONCE = 16;
/** A file that is written again within a tick of the file system's clock keeps its time of change. */
const TICK_MS = 1000;

/** Files of running hosts and stacks, and those that SQLite creates. */
const LEFT_OUT = /^(hosts|lock|stack\.json|stack\.lock)$|-shm$|\.new$/;

/** A file, or a database with its logs, which belong together. */
interface Unit {
  readonly paths: readonly string[];
  readonly bytes: number;
  /** Differs after each change of the content; null if it was just written, because the next change may not differ. */
  readonly stamp: string | null;
}
type Units = ReadonlyMap<string, Unit>;

/**
 * Copies the data folder of a stack as it is at one moment, also while the stack runs. A start on the restored copy
 * recovers as after a crash. All files are copied once; then the runtime is paused while those that have changed since
 * are copied again. Files that are unchanged since the newest backup beside the new one are hard links to it. At least
 * `reserve` bytes of the disk stay free. See docs/decisions/045-one-machine.md.
 *
 * @throws an Error if the copy cannot be made or read; then there is none.
 */
export async function backUp(dataDir: string, to: string, reserve = 0): Promise<BackupReport> {
  if (!(await stat(join(dataDir, 'version.json')).catch(() => null)))
    throw new Error(`${dataDir} is no folder of a stack`);
  await openDataFolder(dataDir);
  if (await isWithin(dataDir, to)) throw new Error(`${to} lies in ${dataDir}: the next backup would copy it as well`);
  if (await stat(to).catch(() => null))
    throw new Error(`${to} is there already: each backup takes a folder of its own`);
  const part = `${to}.part`;
  const last = await newestBackup(dirname(resolve(to)));
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  /** Units that are hard links, so nothing may write to them. */
  const linked = new Set<string>();
  const linkUnit = async (name: string, { stamp }: Unit) => {
    const before = last?.files[name];
    if (!last || !before || stamp === null || before.stamp !== stamp) return false;
    const path = join(last.folder, name);
    const { size } = (await stat(path).catch(() => null)) ?? {};
    const isLinked = () => link(path, join(part, name)).then(() => true);
    return size === before.bytes && (await isLinked().catch(() => false));
  };
  const copyChanges = async (before: Units, now: Units): Promise<void> => {
    const stale = [...before].filter(([name, { stamp }]) => stamp === null || now.get(name)?.stamp !== stamp);
    for (const [name, { paths }] of stale) {
      linked.delete(name);
      await Promise.all(paths.map((path) => rm(join(part, path), { force: true })));
    }
    const fresh = [...now].filter(([name, { stamp }]) => stamp === null || before.get(name)?.stamp !== stamp);
    for (const folder of new Set(fresh.map(([name]) => dirname(name))))
      await mkdir(join(part, folder), { recursive: true, mode: 0o700 });
    const take = async ([name, unit]: (typeof fresh)[number]) => {
      if (await linkUnit(name, unit)) return void linked.add(name);
      for (const path of unit.paths)
        await copyFile(join(dataDir, path), join(part, path), constants.COPYFILE_FICLONE).catch((error) => {
          if (error.code !== 'ENOENT') throw error;
        });
    };
    for (let i = 0; i < fresh.length; i += AT_ONCE) await Promise.all(fresh.slice(i, i + AT_ONCE).map(take));
  };
  try {
    let units = await unitsIn(dataDir);
    const isNew = ([name, { stamp }]: [string, Unit]) => stamp === null || last?.files[name]?.stamp !== stamp;
    const needed = [...units].filter(isNew).reduce((sum, [, { bytes }]) => sum + bytes, 0);
    const { bavail, bsize } = await statfs(part);
    if (bavail * bsize - needed < reserve)
      throw new Error(`its ${mebibytes(needed)} MiB would leave less than ${mebibytes(reserve)} MiB of the disk free`);
    await copyChanges(new Map(), units);
    const lock = takeLock(join(dataDir, 'lock'));
    // A runtime may outlive a stack that was killed.
    const runtimes = await runtimesOn(dataDir);
    // A stack that is starting or ending may write.
    if (lock === null && runtimes.length === 0) throw new Error(`The stack on ${dataDir} starts or ends: try again`);
    let at = Date.now();
    const pausedMs = await paused(runtimes, async () => {
      at = Date.now();
      const before = units;
      units = await unitsIn(dataDir);
      await copyChanges(before, units);
    }).finally(() => lock?.release());
    const files: BackupFiles['files'] = {};
    for (const [name, { stamp }] of units) {
      // Checks that it can be read, and leaves out deleted rows. The disk is synced once for all.
      if (name.endsWith('.sqlite') && !linked.has(name))
        rewriteDatabase(join(part, name), 'PRAGMA synchronous = OFF; ');
      files[name] = { bytes: (await stat(join(part, name))).size, stamp };
    }
    writeJson(join(part, BACKUP_FILE), { at, files } satisfies BackupFiles);
    // A crash of the machine must not leave the name without the content.
    execFileSync('sync');
    await rename(part, to);
    const sum = (of: typeof files) => Object.values(of).reduce((total, { bytes }) => total + bytes, 0);
    const added = Object.fromEntries(Object.entries(files).filter(([name]) => !linked.has(name)));
    return { files: units.size, bytes: sum(files), newBytes: sum(added), pausedMs };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** Whether a path is in a folder, with links resolved. The path need not exist yet. */
async function isWithin(folder: string, path: string): Promise<boolean> {
  const real = async (at: string): Promise<string> =>
    realpath(at).catch(async () => join(await real(dirname(at)), basename(at)));
  const way = relative(await realpath(folder), await real(resolve(path)));
  return way !== '..' && !way.startsWith(`..${sep}`);
}

async function unitsIn(folder: string): Promise<Units> {
  const files = await filesIn(folder);
  const settled = BigInt(Date.now() - TICK_MS) * 1_000_000n;
  const units = new Map<string, Unit>();
  for (const [name, all] of Map.groupBy(files, (path) => path.replace(/(?<=\.sqlite)-(wal|journal)$/, ''))) {
    const stats = all.sort().map((path) => statSync(join(folder, path), { bigint: true, throwIfNoEntry: false }));
    const found = stats.filter((one) => one !== undefined);
    if (found.length === 0) continue;
    const stamp = found.map(({ ino, size, mtimeNs }) => `${ino}.${size}.${mtimeNs}`).join(' ');
    const bytes = found.reduce((sum, { size }) => sum + Number(size), 0);
    units.set(name, { paths: all, bytes, stamp: found.every(({ mtimeNs }) => mtimeNs < settled) ? stamp : null });
  }
  return units;
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
