import { Worker } from 'node:worker_threads';
import { bareEnvironment } from '../../machine/child-environment.ts';
import type { StripOptions, StripResult } from '../../source2/strip-messages.ts';

export interface StripLimits extends Pick<StripOptions, 'frameBytes'> {
  /** The timeout of the whole demo. */
  readonly timeoutMs?: number;
}

interface StripInput extends StripLimits, StripOptions {
  readonly signal: AbortSignal;
}

/** A match of an hour takes some seconds. */
const TIMEOUT_MS = 300_000;
const FRAME_BYTES = 64 * 1024 * 1024;
/** The thread holds three copies of a frame at most, which are not part of the heap. */
const HEAP_MB = 128;

/**
 * Runs `stripMessages` in a thread: a frame that is made for it takes seconds, in which this process would send no
 * heartbeat. The thread ends with the job or when its time is up.
 *
 * @throws the signal's reason if aborted; the errors of `stripMessages`; an Error if it takes too long.
 */
export async function stripDemo(path: string, outPath: string, options: StripInput): Promise<StripResult> {
  const { signal, frameBytes = FRAME_BYTES, timeoutMs = TIMEOUT_MS, decals } = options;
  signal.throwIfAborted();
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: { path, outPath, options: { frameBytes, decals } },
    env: bareEnvironment(),
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
