import type { Logger } from 'pino';
import { CLOCK_TOLERANCE_S, clockText } from '#protocol/signed-message.ts';

/** Compares this machine's clock with the service's. */
export interface ClockCheck {
  /** Compares with the `Date` header of an answer that has just arrived. Ignores a missing or invalid one. */
  note(date: string | null): void;
  /** Returns by how many seconds this clock is ahead, negative if behind; undefined within a minute. */
  offS(): number | undefined;
}

/** Creates a check that logs when the difference changes by more than a minute. `now`: milliseconds since the epoch. */
export function createClockCheck(log: Logger, now: () => number): ClockCheck {
  let offS = 0;
  return {
    note(date) {
      const nowS = Math.round((now() - Date.parse(date ?? '')) / 1000);
      if (!(Math.abs(nowS - offS) > CLOCK_TOLERANCE_S)) return;
      offS = Math.abs(nowS) > CLOCK_TOLERANCE_S ? nowS : 0;
      if (offS === 0) log.info({}, "this machine's clock agrees with the service's again");
      else log.warn({ offS }, `this machine's clock is ${clockText(offS)} the service's: set it`);
    },
    offS: () => (offS === 0 ? undefined : offS),
  };
}
