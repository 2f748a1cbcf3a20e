import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanLine } from '#domain/clean-text.ts';
import { childEnvironment } from './child-environment.ts';

const run = promisify(execFile);
/** A driver that hangs must not block the host's start. */
const PATIENCE_MS = 10_000;
const MOST_LETTERS = 100;

/** Returns the name of the first NVIDIA GPU, for the operator; undefined if none answers. */
export async function findGpu(program = 'nvidia-smi'): Promise<string | undefined> {
  try {
    const asked = ['--query-gpu=name', '--format=csv,noheader'];
    const { stdout } = await run(program, asked, {
      env: childEnvironment(),
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    return cleanLine(stdout.split('\n')[0] ?? '').slice(0, MOST_LETTERS) || undefined;
  } catch {
    return undefined;
  }
}
