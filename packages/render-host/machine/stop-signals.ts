import type { EventEmitter } from 'node:events';

/** How a host stops. */
export interface Leave {
  /** Take no more work, and finish the job at work. */
  readonly drain: AbortSignal;
  /** Hand back the job at work. Aborts after `drain`, or with it. */
  readonly stop: AbortSignal;
  /** Stops listening for signals. */
  end(): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/**
 * A terminal sends Ctrl-C to npm and to us, and npm forwards it. A second signal within this time is the same key
 * press.
 */
const ECHO_MS = 500;

/**
 * SIGTERM drains. A second signal, or the end of `drainMs`, stops. SIGINT stops at once, because Ctrl-C also reaches
 * the encoder, whose work is lost. A further signal ends the process. A host that a local stack started ends with the
 * stack, however that ended.
 */
export function leaveOnSignals(
  drainMs: number,
  source: EventEmitter = process,
  exit: () => void = () => process.exit(1),
): Leave {
  const drain = new AbortController();
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let last = { signal: '', at: 0 };
  const stopNow = (): void => {
    clearTimeout(timer);
    drain.abort();
    stop.abort();
  };
  const onSignal = (signal: string): void => {
    const now = performance.now();
    const isEcho = signal === last.signal && now - last.at < ECHO_MS;
    last = { signal, at: now };
    if (isEcho) return;
    if (stop.signal.aborted) exit();
    else if (drain.signal.aborted || signal === 'SIGINT' || drainMs <= 0) stopNow();
    else {
      timer = setTimeout(stopNow, drainMs);
      timer.unref();
      drain.abort();
    }
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
  source.once('disconnect', stopNow);
  return {
    drain: drain.signal,
    stop: stop.signal,
    end(): void {
      clearTimeout(timer);
      for (const signal of SIGNALS) source.off(signal, onSignal);
      source.off('disconnect', stopNow);
    },
  };
}
