import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanLine } from '#domain/clean-text.ts';
import type { HostCapabilities } from '#protocol/host-capabilities.ts';
import { childEnvironment } from './child-environment.ts';

const run = promisify(execFile);
/** A driver that hangs must not block the host's start. */
const PATIENCE_MS = 10_000;
const MOST_LETTERS = 100;

/** Returns the first NVIDIA GPU and the version of its driver, for the operator; nothing if none answers. */
export async function findGpu(program = 'nvidia-smi'): Promise<Pick<HostCapabilities, 'gpu' | 'driver'>> {
  try {
    const asked = ['--query-gpu=name,driver_version', '--format=csv,noheader'];
    const { stdout } = await run(program, asked, {
      env: childEnvironment(),
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    const [gpu, driver] = cleanLine(stdout.split('\n')[0] ?? '').split(', ');
    return { ...(gpu ? { gpu: gpu.slice(0, MOST_LETTERS) } : {}), ...(driver ? { driver: driver.slice(0, 64) } : {}) };
  } catch {
    return {};
  }
}
