import type { EventEmitter } from 'node:events';

/** How a host is told to leave. */
export interface Leave {
  /** Take no more work, and finish what is at work. */
  readonly drain: AbortSignal;
  /** Hand back what is still at work. Comes after `drain`, or with it. */
  readonly stop: AbortSignal;
  /** What was said last stays; no signal is listened for any more. */
  end(): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** A terminal sends Ctrl-C to npm and to us, and npm passes it on: the same signal that soon is the same key. */
const ECHO_MS = 500;

/**
 * SIGTERM drains; a second signal, or the end of `drainMs`, stops. So does SIGINT: Ctrl-C reaches the encoder as well,
 * and what it was at is lost. A further signal ends the process where it stands. Started by a local stack, the host
 * goes when the stack goes, however that ended.
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
