import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Command } from 'commander';
import { reasonOf } from '#domain/lib/text.ts';

/** What looks at processes is synchronous, because a child has to be recorded before it gets work. */

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

/** Returns the running children of a process, by /proc or by `ps`; none if the system has neither. */
export function childrenOf(parent: number): ProcessInfo[] {
  return childIds(parent).flatMap((pid) => {
    const command = commandOf(pid);
    return command === null ? [] : [{ pid, command }];
  });
}

/**
 * Returns the path of a process's program; null if the process has ended. On Linux, a new process has its program a
 * moment before its command line.
 */
export function commandOf(pid: number): string | null {
  if (process.platform === 'linux')
    return textOf(`/proc/${pid}/cmdline`).split('\0')[0] || orEmpty(() => readlinkSync(`/proc/${pid}/exe`)) || null;
  return ps('-p', String(pid), '-o', 'comm=').trim() || null;
}

/** Returns when a process started, in the system's own format. No two processes have the same number and start. */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') return fieldsOf(`/proc/${pid}/stat`)[19] ?? null;
  return ps('-p', String(pid), '-o', 'lstart=').trim() || null;
}

export function isRunning(pid: number): boolean {
  return commandOf(pid) !== null;
}

/** Whether a process is stopped with all of its threads, or has ended. */
export function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return /^T|^$/.test(ps('-p', String(pid), '-o', 'state=').trim());
  const threads = orEmpty(() => readdirSync(`/proc/${pid}/task`).join(' ')).split(' ');
  return threads.every((thread) => /^[TXZ]?$/.test(fieldsOf(`/proc/${pid}/task/${thread}/stat`)[0] ?? ''));
}

/** Returns the fields after the second, which is the program's name in brackets, and may contain anything. */
function fieldsOf(path: string): string[] {
  const line = textOf(path);
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
}

function childIds(parent: number): number[] {
  if (process.platform === 'linux') {
    return textOf(`/proc/${parent}/task/${parent}/children`).split(' ').filter(Boolean).map(Number);
  }
  const lines = ps('-A', '-o', 'pid=,ppid=').split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

/** Returns an empty text if the process has ended or belongs to another user, or the system has no such file or program. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

const textOf = (path: string): string => orEmpty(() => readFileSync(path, 'utf8'));

const ps = (...args: readonly string[]): string =>
  orEmpty(() => execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Creates an object without its signal handlers: Miniflare ends the process at once on a signal, before hosts could
 * hand back their jobs. The caller decides when the process ends. Miniflare's other handlers stay.
 */
export function withoutItsSignalHandlers<T>(create: () => T): T {
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  const created = create();
  SIGNALS.forEach((signal, i) => {
    for (const listener of process.listeners(signal)) {
      if (!before[i]?.has(listener)) process.removeListener(signal, listener);
    }
  });
  return created;
}

/** Returns a signal that aborts at the first SIGINT or SIGTERM. The second ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort(new Error('Stopped.'));
    });
  }
  return stop.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Runs a command line. If it fails, prints why after `failed`, and ends the process with status 1: a runtime that did
 * not start may keep it running.
 */
export async function runCommand(program: Command, failed: string): Promise<void> {
  await program.parseAsync().catch((error: unknown) => {
    process.stderr.write(`${failed}${reasonOf(error)}\n`);
    process.exit(1);
  });
}
