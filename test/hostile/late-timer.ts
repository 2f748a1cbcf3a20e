const STEP_MS = 20;

/** Measures how late timers of this process fire, and so its heartbeats. In milliseconds. */
export function watchLateness(): { stop(): number } {
  let expected = performance.now() + STEP_MS;
  let latest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    latest = Math.max(latest, now - expected);
    expected = now + STEP_MS;
  }, STEP_MS);
  return {
    stop() {
      clearInterval(timer);
      return latest;
    },
  };
}
