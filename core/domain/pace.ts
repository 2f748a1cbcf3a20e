/** Where a job stands among those that wait. */
export interface QueueEstimate {
  /** From 1. */
  readonly position: number;
  /** Seconds until it is taken; null where too little is known. */
  readonly estimateS: number | null;
}

/** How fast a queue moves: by what has left it of late. */
export interface Pace {
  /** One has left. Times are milliseconds since the epoch. */
  note(now: number): void;
  /** The place behind so many; null where it has none. */
  estimateBehind(before: number | null, now: number): QueueEstimate | null;
}

const REMEMBERED = 64;
const SINCE_MS = 10 * 60_000;
/** Two may have left together by chance. */
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
