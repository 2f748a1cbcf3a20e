import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { childrenOf, commandOf, isRunning } from './processes.ts';

/** Who uses a data folder: the stack, and the workerd it started. */
const Lock = z.object({ stack: z.int(), runtimes: z.array(z.int()) });

export interface DataLock {
  /** Notes which workerd processes this stack has started by now. */
  noteRuntimes(): Promise<void>;
  release(): Promise<void>;
}

const PATIENCE_MS = 5000;

/**
 * Makes sure that one stack at a time uses a data folder: two runtimes on one set of SQLite files would ruin them.
 * A workerd outlives a stack that is killed with SIGKILL; whoever starts on the folder next ends it first.
 * Throws an Error when another stack runs there.
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  const path = join(dataDir, 'stack.lock');
  const before = await readLock(path);
  if (before && before.stack !== process.pid && (await isRunning(before.stack))) {
    throw new Error(`A stack already runs on ${dataDir}, as process ${before.stack}. Stop it first.`);
  }
  await Promise.all((before?.runtimes ?? []).map(endOrphan));
  const write = async (runtimes: number[]) => {
    await writeFile(`${path}.new`, JSON.stringify({ stack: process.pid, runtimes }));
    await rename(`${path}.new`, path);
  };
  await write([]);
  return {
    noteRuntimes: async () => write((await childrenOf(process.pid)).filter(isRuntime).map(({ pid }) => pid)),
    release: () => rm(path, { force: true }),
  };
}

async function readLock(path: string): Promise<z.infer<typeof Lock> | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : (Lock.safeParse(JSON.parse(text)).data ?? null);
}

/** The number may belong to somebody else by now, so the process is ended only if it is a workerd. */
async function endOrphan(pid: number): Promise<void> {
  const command = await commandOf(pid);
  if (command === null || !isRuntime({ command })) return;
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + PATIENCE_MS;
  while (await isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`The workerd of an earlier stack, process ${pid}, does not end.`);
    await delay(20);
  }
}

function isRuntime({ command }: { command: string }): boolean {
  return command.includes('workerd');
}
