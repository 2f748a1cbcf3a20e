import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { takeLock } from '#render-host/machine/work-dir.ts';
import { childrenOf, commandOf, isRunning, startOf } from './processes.ts';

/**
 * Who uses a data folder, or used it last: the stack, and the workerd it started. A process number alone may be reused
 * later.
 */
const Note = z.object({
  stack: z.int(),
  runtimes: z.array(z.object({ pid: z.int(), started: z.string().nullable() })),
});
type Note = z.infer<typeof Note>;
type NotedRuntime = Note['runtimes'][number];

export interface DataLock {
  /** Records which workerd processes this stack has started. They are on disk when this returns. */
  noteRuntimes(): void;
  release(): void;
}

const PATIENCE_MS = 5000;

/**
 * Locks a data folder for one stack, because two runtimes on one set of SQLite files would corrupt them. A workerd
 * outlives a stack that is killed with SIGKILL; the next start on the folder ends it first. Throws an Error if another
 * stack runs there.
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  const lock = takeLock(join(dataDir, 'lock'));
  const path = join(dataDir, 'stack.json');
  const before = await readNote(path);
  if (lock === null) {
    throw new Error(`A stack already runs on ${dataDir}, as process ${before?.stack ?? 'unknown'}. Stop it first.`);
  }
  const noteRuntimes = () => {
    const own = childrenOf(process.pid).filter(isRuntime);
    const runtimes = own.map(({ pid }) => ({ pid, started: startOf(pid) }));
    writeJson(path, { stack: process.pid, runtimes } satisfies Note);
  };
  try {
    await Promise.all((before?.runtimes ?? []).map(endOrphan));
  } catch (error) {
    lock.release();
    throw error;
  }
  return { noteRuntimes, release: lock.release };
}

/** Returns the workerd processes of the stack that runs on a folder, if any. */
export async function runtimesOn(dataDir: string): Promise<readonly number[]> {
  const note = await readNote(join(dataDir, 'stack.json'));
  return (note?.runtimes ?? []).filter(isSame).map(({ pid }) => pid);
}

/** Whether a recorded process still runs, and its number was not reused. */
function isSame({ pid, started }: NotedRuntime): boolean {
  const command = commandOf(pid);
  return command !== null && isRuntime({ command }) && startOf(pid) === started;
}

/** A file that a crash of the machine damaged is ignored, because no process survived that. */
async function readNote(path: string): Promise<Note | null> {
  try {
    return Note.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

async function endOrphan(noted: NotedRuntime): Promise<void> {
  if (!isSame(noted)) return;
  const { pid } = noted;
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + PATIENCE_MS;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`The workerd of an earlier stack, process ${pid}, does not end.`);
    await delay(20);
  }
}

function isRuntime({ command }: { command: string }): boolean {
  return command.includes('workerd');
}

/** Reads a file; null if there is none. Throws an Error that names the file if it is invalid. */
export function readJsonFile<T>(path: string, shape: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof z.ZodError ? z.prettifyError(error) : error}`);
  }
}

/**
 * Writes a temporary file and renames it, so that a crash leaves the old file or the new one. Only the owner can read
 * it. Returns its path.
 */
export function writeJson(path: string, content: object): string {
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}
