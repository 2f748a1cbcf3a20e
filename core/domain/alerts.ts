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

/** An alert that needs no history. */
interface Alert {
  /** Returns a sentence with its numbers; null if the alert does not fire. */
  readonly text: (vitals: Vitals) => string | null;
  /** What to do about it, in Markdown. docs/operate.md has the same words. */
  readonly help: string;
}

const ALERTS: Readonly<Record<string, Alert>> = {
  QueueStuck: {
    text: ({ oldestS }) =>
      (oldestS ?? 0) < LONGEST_WAIT_S
        ? null
        : `A job has waited for a host for ${Math.floor((oldestS ?? 0) / 60)} minutes.`,
    help: 'Add hosts, or `tickreel admin hosts resume HOST` for a held one.',
  },
  NoHosts: {
    text: ({ waiting, hosts }) =>
      waiting === 0 || hosts > 0 ? null : `${waiting} jobs wait, and no render host is there.`,
    help: 'Start hosts. The log of a host says why it ended.',
  },
  WebhooksExhausted: {
    text: ({ givenUp }) => (givenUp === 0 ? null : `${givenUp} jobs have a webhook that was given up within a day.`),
    help: 'Notify the customer. When the receiver works, `tickreel admin deliveries resend --all --account ACCOUNT`.',
  },
  UpkeepFailed: {
    text: ({ upkeepError }) => (upkeepError === null ? null : `Upkeep has failed: ${upkeepError}`),
    help: 'Fix what the text names. Each run of the cron tries again.',
  },
  RunsFail: {
    text: ({ done, failed }) =>
      done + failed < LEAST_RUNS || failed <= done
        ? null
        : `${failed} of the ${done + failed} runs that ended today have failed.`,
    help: 'Find the code: `demo_…` is a fault of demos, `cs2_unavailable` and `render_failed` of hosts or of a new build.',
  },
  DatabaseGrows: {
    text: ({ databaseBytes }) =>
      databaseBytes <= LARGE_DATABASE
        ? null
        : `The database has ${(databaseBytes / 1e9).toFixed(1)} of the 10 GB that D1 allows.`,
    help: 'Limit an account that makes too many jobs: `tickreel admin accounts limit ACCOUNT jobs_a_day=10000`.',
  },
  DiskFilling: {
    text: ({ isDiskFilling }) => (isDiskFilling ? 'The disk is almost full: soon nothing more is taken in.' : null),
    help: 'Free space, or shorten `CLIP_TTL_DAYS`. Otherwise submits and uploads soon get 503.',
  },
};

/** Returns what fires, each alert with a sentence. Alerts that need a history are in tools/deploy/monitoring alone. */
export function alertsOf(vitals: Vitals): Record<string, string> {
  const texts = Object.entries(ALERTS).map(([name, { text }]) => [name, text(vitals)] as const);
  return Object.fromEntries(texts.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

/** Returns what an operator does about an alert, in Markdown. */
export function helpFor(alert: string): string {
  return ALERTS[alert]?.help ?? '';
}
