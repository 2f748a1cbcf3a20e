/** The values that show whether the service is healthy. */
export interface Vitals {
  readonly waiting: number;
  /** Seconds for which the oldest of them has waited; null if none waits. */
  readonly oldestS: number | null;
  /** Hosts that are online and may work. */
  readonly hosts: number;
  /** Jobs whose webhook was given up within a day. */
  readonly givenUp: number;
  /** Runs that ended today. */
  readonly done: number;
  readonly failed: number;
  /** Bytes of the database. */
  readonly databaseBytes: number;
  /** Why the last upkeep failed; null if it did not fail. */
  readonly upkeepError: string | null;
  /** Always false for a service without its own disk. */
  readonly isDiskFilling: boolean;
}

/** The longest wait without an alert. One host renders a clip in some minutes, so longer waits need more hosts. */
const LONGEST_WAIT_S = 15 * 60;
/** The size of a database that causes an alert; D1 allows 10 GB. */
const LARGE_DATABASE = 8e9;
/** The least runs for an alert about failures. */
const LEAST_RUNS = 20;

/** Returns the alerts of tools/deploy/monitoring/alerts.yml that need no history, each with a sentence. */
export function alertsOf(vitals: Vitals): Record<string, string> {
  const { waiting, oldestS, hosts, givenUp, done, failed, upkeepError, databaseBytes, isDiskFilling } = vitals;
  const minutes = Math.floor((oldestS ?? 0) / 60);
  return {
    ...((oldestS ?? 0) >= LONGEST_WAIT_S ? { QueueStuck: `A job has waited for a host for ${minutes} minutes.` } : {}),
    ...(waiting > 0 && hosts === 0 ? { NoHosts: `${waiting} jobs wait, and no render host is there.` } : {}),
    ...(givenUp > 0 ? { WebhooksExhausted: `${givenUp} jobs have a webhook that was given up within a day.` } : {}),
    ...(upkeepError === null ? {} : { UpkeepFailed: `Upkeep has failed: ${upkeepError}` }),
    ...(done + failed >= LEAST_RUNS && failed > done
      ? { RunsFail: `${failed} of the ${done + failed} runs that ended today have failed.` }
      : {}),
    ...(databaseBytes > LARGE_DATABASE
      ? { DatabaseGrows: `The database has ${(databaseBytes / 1e9).toFixed(1)} of the 10 GB that D1 allows.` }
      : {}),
    ...(isDiskFilling ? { DiskFilling: 'The disk is almost full: soon nothing more is taken in.' } : {}),
  };
}
