import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bareEnvironment } from '../machine/child-environment.ts';
import { MachineError } from '../machine/system-error.ts';
import type { BunzipInput, BunzipOutcome } from './bunzip-worker.ts';
import type { UnpackTask } from './unpack-stream.ts';

/**
 * Unpacks all streams of a .bz2 file. The decoder is JavaScript at some 20 MB/s, so it runs in a thread, where it does
 * not delay heartbeats. Crafted input can make it loop forever; ending the thread stops it.
 */
export async function unpackBzip2({ signal, ...task }: UnpackTask): Promise<readonly string[]> {
  const input: BunzipInput = task;
  const worker = new Worker(new URL('./bunzip-worker.ts', import.meta.url), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    env: bareEnvironment(),
  });
  try {
    const [outcome] = (await once(worker, 'message', { signal })) as [BunzipOutcome];
    if (outcome.ok) return [];
    throw outcome.system ? new MachineError(outcome.message) : new Error(outcome.message);
  } finally {
    await worker.terminate();
  }
}
