export interface Capacity {
  readonly isUp: boolean;
  /** Living hosts that wait for work. */
  readonly idleHosts: number;
  /** Jobs that living hosts work on. */
  readonly worked: ReadonlySet<string>;
}

const STEP_MS = 100;

/**
 * Measures how long a job was idle although it could have been worked on: the time with the service up and a living
 * host waiting for work, since a living host had the job or its outcome arrived. Time without a free host is not
 * counted, and does not reset the count.
 */
export function startIdleClock(openJobs: () => Iterable<string>, capacity: () => Capacity) {
  const idle = new Map<string, number>();
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    const { isUp, idleHosts, worked } = capacity();
    for (const job of openJobs()) {
      if (worked.has(job)) idle.set(job, 0);
      else if (isUp && idleHosts > 0) idle.set(job, (idle.get(job) ?? 0) + elapsed);
      longest = Math.max(longest, idle.get(job) ?? 0);
    }
  }, STEP_MS);
  return {
    /** Returns the longest idle time of a job since the last call, in seconds. */
    takeLongest(): number {
      const taken = longest / 1000;
      longest = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
