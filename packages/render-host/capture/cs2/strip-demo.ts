import { Worker } from 'node:worker_threads';
import type { StripResult } from '../../source2/strip-commands.ts';

export interface StripLimits {
  /** Of one frame, as it lies there and as it unpacks, at most: what the parser was held to. */
  readonly frameBytes?: number;
  /** For all of it. */
  readonly timeoutMs?: number;
}

interface StripOptions extends StripLimits {
  readonly signal: AbortSignal;
}

/** A match of an hour takes some seconds. */
const TIMEOUT_MS = 300_000;
const FRAME_BYTES = 64 * 1024 * 1024;
/** It holds three copies of a frame at most, which lie outside of this. */
const HEAP_MB = 128;

/**
 * `stripCommands` in a thread of its own: one frame made for it takes seconds to look through, in which this process
 * would send no heartbeat. The thread ends with the job, and when its time is up.
 *
 * @throws the signal's reason when aborted; else as `stripCommands`, or an Error when it took too long.
 */
export async function stripDemo(path: string, outPath: string, options: StripOptions): Promise<StripResult> {
  const { signal, frameBytes = FRAME_BYTES, timeoutMs = TIMEOUT_MS } = options;
  signal.throwIfAborted();
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: { path, outPath, frameBytes },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let end = () => {};
  const timer = setTimeout(() => end(), timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      end = () => reject(signal.aborted ? signal.reason : new Error(`it took more than ${timeoutMs} ms`));
      signal.addEventListener('abort', end, { once: true });
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}
