/** How slow a download may be. */
export interface PaceLimits {
  /** Milliseconds for all connections, redirects and resumptions together. */
  readonly deadlineMs: number;
  /** In each window of this many milliseconds ... */
  readonly stallWindowMs: number;
  /** ... at least this many bytes must arrive. The wait for a connection and for the first byte counts. */
  readonly stallMinBytes: number;
}

/** Why a watchdog aborted. */
export class TooSlow extends Error {}

export interface Watchdog {
  /** Aborts with a `TooSlow` as its reason. */
  readonly signal: AbortSignal;
  /** Counts received bytes. */
  feed(bytes: number): void;
  stop(): void;
}

/**
 * Watches the pace of a download. Timeouts of HTTP clients do not help: each byte resets them, so a server that drips
 * could hold its client forever.
 */
export function startWatchdog({ deadlineMs, stallWindowMs, stallMinBytes }: PaceLimits): Watchdog {
  const controller = new AbortController();
  let inWindow = 0;
  const window = setInterval(() => {
    if (inWindow < stallMinBytes) {
      controller.abort(new TooSlow(`only ${inWindow} bytes in ${stallWindowMs} ms`));
    }
    inWindow = 0;
  }, stallWindowMs);
  const deadline = setTimeout(() => {
    controller.abort(new TooSlow(`not finished after ${deadlineMs} ms`));
  }, deadlineMs);
  return {
    signal: controller.signal,
    feed(bytes) {
      inWindow += bytes;
    },
    stop() {
      clearInterval(window);
      clearTimeout(deadline);
    },
  };
}
