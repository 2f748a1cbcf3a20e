const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Creates an object without its signal handlers: Miniflare ends the process at once on a signal, before hosts could
 * hand back their jobs. The caller decides when the process ends. Miniflare's other handlers stay.
 */
export function withoutItsSignalHandlers<T>(create: () => T): T {
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  const created = create();
  SIGNALS.forEach((signal, i) => {
    for (const listener of process.listeners(signal)) {
      if (!before[i]?.has(listener)) process.removeListener(signal, listener);
    }
  });
  return created;
}

/** Returns a signal that aborts at the first SIGINT or SIGTERM. The second ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort(new Error('Stopped.'));
    });
  }
  return stop.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
