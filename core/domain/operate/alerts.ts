/** The values that show whether the service is healthy. */
export interface Vitals {
  readonly waiting: number;
  /** Seconds for which the oldest of them has waited; null if none waits. */
  readonly oldestS: number | null;
  /** Hosts that are online and may work. */
  readonly hosts: number;
  /** Hosts that are set aside, and the builds of the game that all hosts with it are set aside for. */
  readonly setAside: number;
  readonly barredBuilds: readonly string[];
  /** Hosts that are online with a wrong clock. */
  readonly clocksOff: number;
  /** The account that limits have refused most within ten minutes; null if none was refused. */
  readonly refused: { readonly accountId: string; readonly count: number } | null;
  /** Hosts that had a job and fell silent within a day. */
  readonly lost: number;
  /** Jobs that have waited for some minutes, and that none of the present hosts can take. `text`: why, for most. */
  readonly unservable: { readonly jobs: number; readonly text: string } | null;
  /** Jobs whose webhook was given up within a day. */
  readonly givenUp: number;
  /** Runs that ended today. */
  readonly done: number;
  readonly failed: number;
  /** An account with over nine tenths of its limit of kept jobs, or of the bytes of their requests; null for none. */
  readonly nearLimit: string | null;
  readonly databaseBytes: number;
  /** The account whose erasure has lasted longest; null if none has lasted for over a day. */
  readonly unerased: string | null;
  /** Why the last upkeep failed; null if it did not fail. */
  readonly upkeepError: string | null;
  /** Why the last alerts could not be sent; null if they were. */
  readonly alertError: string | null;
  /** Always false for a service without its own disk. */
  readonly isDiskFilling: boolean;
  /** Why a stack has no fresh backup; null if it has one, or makes none. */
  readonly backupFault: string | null;
}

/** The longest wait without an alert. One host renders a clip in some minutes, so longer waits need more hosts. */
const LONGEST_WAIT_S = 15 * 60;
/** The size of a database that causes an alert; D1 allows 10 GB. */
const LARGE_DATABASE = 8e9;
/** The least runs for an alert about failures. */
const LEAST_RUNS = 20;
/** The least refusals for an alert: a client that repeats too soon makes fewer. */
const LEAST_REFUSED = 500;

/** An alert that needs no history. */
interface Alert {
  /** Returns a sentence with its numbers; null if the alert does not fire. */
  readonly text: (vitals: Vitals) => string | null;
  /** What to do about it, in Markdown. docs/operate.md has the same words. */
  readonly help: string;
  /** Minutes for which it must hold before it fires. 0 by default. */
  readonly minutes?: number;
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
      waiting === 0 || hosts > 0 ? null : `${waiting} jobs wait, and no render host is ready.`,
    help: 'Start hosts, or resume held ones. The log of a host says why it ended.',
  },
  HostsSetAside: {
    text: ({ setAside }) =>
      setAside === 0 ? null : `${setAside} hosts are set aside for their faults or their build.`,
    help: 'Repair the host, then `tickreel admin hosts resume HOST`. `admin hosts list` has its failures.',
    minutes: 15,
  },
  BuildSetAside: {
    text: ({ barredBuilds }) =>
      barredBuilds.length === 0 ? null : `No host with build ${barredBuilds.join(', ')} gets jobs.`,
    help: 'Update the recorder of each host with the build, then `tickreel admin hosts resume HOST`. `admin hosts list` has the reason.',
  },
  ClockOff: {
    text: ({ clocksOff }) => (clocksOff === 0 ? null : `${clocksOff} hosts have a clock that is off by over a minute.`),
    help: 'Set the clock of the hosts that `tickreel admin hosts list` shows: `timedatectl set-ntp true`.',
  },
  Flood: {
    text: ({ refused }) =>
      (refused?.count ?? 0) < LEAST_REFUSED
        ? null
        : `${refused?.count} requests of account ${refused?.accountId} were refused by its limits within ten minutes.`,
    help: 'Notify the customer, or `tickreel admin accounts suspend ACCOUNT`. `accounts limit` gives an honest one more.',
  },
  AlertsUnsent: {
    text: ({ alertError }) => (alertError === null ? null : `Alerts cannot be sent: ${alertError}`),
    help: 'Repair the receiver or `ALERT_WEBHOOK_URL`, then `tickreel admin alerts test`. Unsent alerts are sent later.',
  },
  HostsLost: {
    text: ({ lost }) => (lost === 0 ? null : `${lost} render hosts had a job and fell silent.`),
    help: 'See whether the machine runs. `tickreel admin hosts resume HOST` or `revoke HOST` ends the alert.',
  },
  JobsWithoutHost: {
    text: ({ unservable, hosts }) =>
      unservable === null || hosts === 0
        ? null
        : `${unservable.jobs} jobs wait for a host that is not there. ${unservable.text}`,
    help: 'Start a host that can take these jobs. Or change the labels or renderer of their account, or `RENDERER`.',
  },
  WebhooksExhausted: {
    text: ({ givenUp }) => (givenUp === 0 ? null : `${givenUp} jobs have a webhook that was given up within a day.`),
    help: 'Notify the customer. When the receiver works, `tickreel admin deliveries resend --all --account ACCOUNT`.',
  },
  UpkeepFailed: {
    text: ({ upkeepError }) => (upkeepError === null ? null : `Upkeep has failed: ${upkeepError}`),
    help: 'Fix what the text names. Each run of the cron tries again.',
  },
  ErasureStuck: {
    text: ({ unerased }) =>
      unerased === null ? null : `The erasure of account ${unerased} has not ended for over a day.`,
    help: 'Fix why its jobs or uploads fail: the log has `upkeep failed for one item`. Each run of the cron tries again.',
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
  AccountNearLimit: {
    text: ({ nearLimit }) =>
      nearLimit &&
      `Account ${nearLimit} has over nine tenths of its limit of kept jobs (\`jobs_kept\`) or of the bytes of their requests (\`jobs_mib\`).`,
    help: 'Notify the customer. `tickreel admin accounts limit ACCOUNT jobs_mib=4096` or `jobs_kept=2000000` raises the limit of an honest customer.',
  },
  DiskFilling: {
    text: ({ isDiskFilling }) => (isDiskFilling ? 'The disk is almost full: soon nothing more is taken in.' : null),
    help: 'Free space, or shorten `CLIP_TTL_DAYS`. Otherwise submits and uploads soon get 503.',
  },
  BackupFailed: {
    text: ({ backupFault }) => backupFault,
    help: 'Fix what the text names. `npm run backup` tries at once, the stack within ten minutes.',
  },
};

/** The names of all alerts that need no more history. */
export const ALERT_NAMES: readonly string[] = Object.keys(ALERTS);

/**
 * Returns the alerts that fire, each with a sentence. `lastedMs` returns for how long an alert has held; without it,
 * those that have not held for long enough are returned too. Alerts that need more history are in
 * tools/deploy/monitoring alone.
 */
export function alertsOf(vitals: Vitals, lastedMs?: (alert: string) => number): Record<string, string> {
  const firing: Record<string, string> = {};
  for (const [name, { text, minutes = 0 }] of Object.entries(ALERTS)) {
    const sentence = text(vitals);
    if (sentence !== null && (lastedMs?.(name) ?? Infinity) >= minutes * 60_000) firing[name] = sentence;
  }
  return firing;
}

/** Returns what an operator does about an alert, in Markdown. */
export function helpFor(alert: string): string {
  return ALERTS[alert]?.help ?? '';
}
