import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

/** The running children of a process. Linux tells by /proc, others by `ps`; where neither is, none are found. */
export async function childrenOf(parent: number): Promise<ProcessInfo[]> {
  const children = await childIds(parent);
  const infos = await Promise.all(children.map(async (pid) => ({ pid, command: await commandOf(pid) })));
  return infos.flatMap(({ pid, command }) => (command === null ? [] : [{ pid, command }]));
}

/** The path of the program that a process runs; null when there is no such process, or only its remains. */
export async function commandOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line.split('\0')[0] || null;
  }
  const { stdout } = await run('ps', ['-p', String(pid), '-o', 'comm=']).catch(() => ({ stdout: '' }));
  return stdout.trim() || null;
}

/** When a process started, in words of the system's own: no two processes have the same number and start. */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The 22nd field; the second is the program's name in brackets, and may hold anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  }
  const { stdout } = await run('ps', ['-p', String(pid), '-o', 'lstart=']).catch(() => ({ stdout: '' }));
  return stdout.trim() || null;
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== null;
}

async function childIds(parent: number): Promise<number[]> {
  if (process.platform === 'linux') {
    const list = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
    return list.split(' ').filter(Boolean).map(Number);
  }
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }));
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}
