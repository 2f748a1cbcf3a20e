/** How slow a download may be. */
export interface PaceLimits {
  /** Milliseconds for everything: all connections, redirects and resumptions together. */
  readonly deadlineMs: number;
  /** In every window of this many milliseconds ... */
  readonly stallWindowMs: number;
  /** ... at least this many bytes must come. The wait for a connection and for the first byte counts. */
  readonly stallMinBytes: number;
}

/** Why a watchdog gave up. */
export class TooSlow extends Error {}

export interface Watchdog {
  /** Fires with a `TooSlow` as its reason. */
  readonly signal: AbortSignal;
  /** Bytes have come. */
  feed(bytes: number): void;
  stop(): void;
}

/**
 * Watches the pace of a download from outside of it. Timeouts of HTTP clients are no help here: they are reset by
 * every byte, so a server that drips holds its client for as long as it likes.
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
