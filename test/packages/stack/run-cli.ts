import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { adminCommand } from '#client/cli/admin-commands.ts';
import { createProgram } from '#client/cli/program.ts';
import { runProgram } from '#client/cli/settings.ts';

/** How a run of the command line ended, and what it wrote. */
export interface CliRun {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process: a process for each call would cost half a second. */
export async function runCli(args: readonly string[], environment: Record<string, string>): Promise<CliRun> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const [out, err] = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  const exit = vi.spyOn(process, 'exit').mockImplementation((status) => {
    throw new Error(`exit ${status}`);
  });
  try {
    await runProgram(createProgram().addCommand(adminCommand()), ['node', 'tickreel', ...args]);
    const text = (written: typeof out) => written?.mock.calls.map(([chunk]) => String(chunk)).join('') ?? '';
    return { status: Number(exit.mock.calls[0]?.[0] ?? process.exitCode ?? 0), out: text(out), err: text(err) };
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
}

/** Mounts a small file system; null if this process may not. In CI it may. `onEnd` gets what undoes it. */
export async function smallDisk(
  mib: number,
  onEnd: (undo: () => Promise<void> | void) => void,
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'disk-full-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch (error) {
    if (process.env.CI) throw error;
    return null;
  }
  onEnd(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}
