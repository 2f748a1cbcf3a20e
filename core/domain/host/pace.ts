/** The position of a waiting job in the queue. */
export interface QueueEstimate {
  /** The first job has position 1. */
  readonly position: number;
  /** Seconds until it is assigned; null if there is too little data. */
  readonly estimateS: number | null;
}

/** The speed of a queue, from the jobs that left it recently. */
export interface Pace {
  /** Counts a job that left. Times are milliseconds since the epoch. */
  note(now: number): void;
  /** Returns the estimate for a job behind `before` others; null if `before` is. */
  estimateBehind(before: number | null, now: number): QueueEstimate | null;
}

const REMEMBERED = 64;
const SINCE_MS = 10 * 60_000;
/** The least jobs for an estimate: two may leave together by chance. */
const FEWEST = 3;

export function createPace(): Pace {
  const times: number[] = [];
  return {
    note(now) {
      times.push(now);
      if (times.length > REMEMBERED) times.shift();
    },
    estimateBehind(before, now) {
      if (before === null) return null;
      const position = before + 1;
      const recent = times.filter((time) => time > now - SINCE_MS);
      const [first] = recent;
      if (first === undefined || recent.length < FEWEST) return { position, estimateS: null };
      return { position, estimateS: Math.ceil((position * (now - first)) / recent.length / 1000) };
    },
  };
}
