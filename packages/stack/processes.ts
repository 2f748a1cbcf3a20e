import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** All of this answers at once: a child has to be noted before it gets anything to do. */

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

/** The running children of a process. Linux tells by /proc, others by `ps`; where neither is, none are found. */
export function childrenOf(parent: number): ProcessInfo[] {
  return childIds(parent).flatMap((pid) => {
    const command = commandOf(pid);
    return command === null ? [] : [{ pid, command }];
  });
}

/**
 * The path of the program that a process runs; null when there is no such process, or only its remains. On Linux, a
 * process just spawned has its program a moment before its command line.
 */
export function commandOf(pid: number): string | null {
  if (process.platform === 'linux') return textOf(`/proc/${pid}/cmdline`).split('\0')[0] || programOf(pid) || null;
  return ps('-p', String(pid), '-o', 'comm=').trim() || null;
}

/** When a process started, in words of the system's own: no two processes have the same number and start. */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    const line = textOf(`/proc/${pid}/stat`);
    // The 22nd field; the second is the program's name in brackets, and may hold anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  }
  return ps('-p', String(pid), '-o', 'lstart=').trim() || null;
}

export function isRunning(pid: number): boolean {
  return commandOf(pid) !== null;
}

/** Whether a process stands still, with all of its threads: it was told to stop, or is gone. */
export function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return /^T|^$/.test(ps('-p', String(pid), '-o', 'state=').trim());
  const threads = childNames(`/proc/${pid}/task`);
  return threads.every((thread) => /^[TXZ]?$/.test(stateOf(`/proc/${pid}/task/${thread}/stat`)));
}

/** The field behind the program's name, which may hold anything. */
function stateOf(path: string): string {
  const line = textOf(path);
  return line.slice(line.lastIndexOf(')') + 2).charAt(0);
}

function childNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function childIds(parent: number): number[] {
  if (process.platform === 'linux') {
    return textOf(`/proc/${parent}/task/${parent}/children`).split(' ').filter(Boolean).map(Number);
  }
  const lines = ps('-A', '-o', 'pid=,ppid=').split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

/** Empty where the process is gone, or somebody else's. */
function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** Empty where the process is gone, or the system has no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Empty where there is no such process, or no `ps`. */
function ps(...args: readonly string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
