const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Creates something whose signal handlers are not wanted: Miniflare ends the process at once on a signal, before hosts
 * could hand back their jobs. Whoever runs the process decides when it stops; what else Miniflare does at exit stays.
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

/** Aborts at the first SIGINT or SIGTERM, so that all can be put away; the second ends the process at once. */
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
