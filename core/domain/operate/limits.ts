import { DEFAULTS, MOST_TICKS, TICKS_A_SECOND } from '../clip/render-order.ts';
import { MAX_OPEN_DELIVERIES } from '../job/delivery.ts';
import { DAY_MS } from '../job/metering.ts';

/** `at a time` is exact; `at a time in an isolate` is counted by each isolate alone. */
type Unit = Count | 'a minute' | 'an hour' | 'a day' | 'a clip' | 'a run' | 'a request';
type Count = 'at a time' | 'at a time in an isolate' | 'in all';

/**
 * A limit of what somebody may do or have. `label`: what is counted, in its unit. `variable`: replaces the default; a
 * limit without one is a constant. `beyond`: what happens to more.
 */
const limit = <const U extends Unit, V extends `LIMIT_${string}` | undefined = undefined>(
  label: string,
  unit: U,
  preset: number,
  variable?: V,
  beyond = '429',
) => ({ label, unit, preset, variable, beyond });

const WAITS = 'waits for a later hour';
/** The default is the most that a timeline can ask for at the default frame rate. */
const MOST_FRAMES = (MOST_TICKS / TICKS_A_SECOND) * DEFAULTS.fps;

/**
 * All limits, by the names of their fields. Settings, the operators' API, the console, the table of docs/security.md and
 * the rows of `budgets` are made of this table. Days are of UTC.
 */
export const LIMITS = {
  /** Of an account, which may have its own values. */
  account: {
    requests: limit('Requests', 'a minute', 12_000, 'LIMIT_REQUESTS'),
    submits: limit('Submits', 'a minute', 3000, 'LIMIT_SUBMITS'),
    uploads: limit('Uploads of assets and demos begun', 'a minute', 120, 'LIMIT_UPLOADS'),
    follows: limit('Event streams opened', 'a minute', 1200),
    jobs: limit('Jobs not finished', 'at a time', 20_000, 'LIMIT_JOBS'),
    jobs_a_day: limit('New jobs, or runs of test keys', 'a day', 100_000, 'LIMIT_JOBS_DAY'),
    agent_seconds_a_day: limit('Seconds of clip rendered by agents', 'a day', 30 * 60, 'LIMIT_AGENT_SECONDS_DAY'),
    jobs_kept: limit('Jobs kept', 'at a time', 1_000_000, 'LIMIT_JOBS_KEPT'),
    jobs_mib: limit('MiB of requests of kept jobs', 'at a time', 2048),
    open_uploads: limit('Demo uploads not complete', 'at a time', 200),
    assets: limit('Assets stored', 'at a time', 1000),
    asset_mib: limit('MiB of assets stored', 'at a time', 1024),
    frames: limit('Frames rendered', 'a clip', MOST_FRAMES, 'LIMIT_CLIP_FRAMES', '`clip_too_long`'),
    unbilled: limit('Unbilled minutes of hosts', 'a day', 24 * 60),
    fallback: limit('Minutes before a fallback to the radar', 'a run', 10, undefined, 'the radar makes the clip'),
  },
  /** Of a key of scope `ingest`, which may have its own values. */
  ingest: {
    mib: limit('MiB of demos sent', 'a day', 10 * 1024, 'LIMIT_INGEST_MIB_DAY'),
    demos: limit('Demos sent', 'a day', 100, 'LIMIT_INGEST_DEMOS_DAY'),
    clips: limit('Clips that rules make of its demos', 'a day', 200),
  },
  /** The same for all accounts. */
  fixed: {
    webhook_tests: limit('Webhooks to try a receiver', 'a minute', 30),
    webhook_attempts: limit('Webhook attempts besides those for clips', 'an hour', 6000, undefined, WAITS),
    webhook_attempt_kb: limit('kB of these attempts', 'an hour', 200_000, undefined, WAITS),
    plans: limit('Plans that agents make', 'an hour', 1000),
    viewing_changes: limit('Changes of viewing settings', 'an hour', 30),
    demo_mib: limit('MiB of uploaded demos', 'at a time', 20 * 1024, 'LIMIT_DEMO_MIB'),
    /** The default is what Cloudflare takes on its small plans. */
    ingest_mb: limit('MB of a demo from a game server', 'a request', 100, 'LIMIT_INGEST_MB', '413'),
    inspections: limit('Demos being inspected', 'at a time', 20, 'LIMIT_INSPECTIONS'),
    rules: limit('Rules', 'at a time', 100),
    keys: limit('Live keys of a kind and scope', 'at a time', 2),
    keys_made: limit('Keys made by its keys', 'a day', 20),
    webhook_secrets: limit('Webhook signing secrets', 'at a time', 2),
    streams: limit('Event streams', 'at a time in an isolate', 100),
    account_streams: limit('Event streams of all jobs', 'at a time in an isolate', 20),
    tool_calls: limit('Tool calls of agents', 'at a time in an isolate', 10),
    body_kib: limit('KiB of bodies in memory', 'at a time in an isolate', 32 * 1024),
  },
  /** Of all test keys of an account, instead of the above. */
  test: {
    /** Each job with a clip stores about 0.6 MB. */
    jobs_kept: limit('Jobs kept', 'at a time', 10_000),
    webhook_attempts: limit('Webhook attempts', 'an hour', 200, undefined, WAITS),
    webhook_attempt_kb: limit('kB of these attempts', 'an hour', 5000, undefined, WAITS),
  },
  key: {
    file_writes: limit('Parts, assets and demos sent', 'a minute', 600),
    refusals: limit('Refused demos noted', 'a minute', 60),
  },
  host: {
    host_requests: limit('Requests with its token', 'a minute', 12_000, 'LIMIT_HOST_REQUESTS'),
    polls: limit('Claims in progress', 'at a time in an isolate', 64),
  },
  address: {
    /** Well-formed keys that do not exist; wrong tokens of operators, monitors and console sessions. */
    key_guesses: limit('Guesses of keys and tokens', 'a minute', 100, 'LIMIT_KEY_GUESSES'),
    clip_guesses: limit('Requests for missing clips', 'a minute', 600),
    views: limit('Views that count', 'a minute', 120, 'LIMIT_VIEWS', 'not counted'),
  },
  job: {
    resends: limit('Webhooks sent again', 'an hour', 60),
    pending_webhooks: limit('Pending webhooks', 'at a time', MAX_OPEN_DELIVERIES),
    reruns: limit('Runs after the first', 'an hour', 60),
    followers: limit('Event streams of the job', 'at a time', 10),
  },
  upload: { part_writes: limit('Stores of one part', 'in all', 6, undefined, '409') },
  isolate: { all_body_kib: limit('KiB of bodies in memory', 'at a time in an isolate', 64 * 1024, undefined, '503') },
};

const { account, ingest, fixed, key, host, address, job, upload, isolate } = LIMITS;
/** All limits but those of `ingest` and test keys, by name. A deployment has one value of each. */
export const SERVICE_LIMITS = { ...account, ...fixed, ...key, ...host, ...address, ...job, ...upload, ...isolate };
type ServiceLimits = typeof SERVICE_LIMITS;
/** The limits that may have a variable, by name. */
export const VARIABLE_LIMITS = { ...ingest, ...SERVICE_LIMITS };

type NameOf<U extends Unit> = {
  [N in keyof ServiceLimits]: ServiceLimits[N] extends { readonly unit: U } ? N : never;
}[keyof ServiceLimits];
/** The limits that an isolate counts by the minute. */
export type RateName = NameOf<'a minute'>;
/** The limits of what is open or in memory in an isolate. */
export type PermitName = NameOf<'at a time in an isolate'>;
export const RATES = Object.fromEntries(
  Object.entries(SERVICE_LIMITS).filter(([, { unit }]) => unit === 'a minute'),
) as Pick<ServiceLimits, RateName>;
export type LimitVariable = NonNullable<(typeof VARIABLE_LIMITS)[keyof typeof VARIABLE_LIMITS]['variable']>;

/** The own limits of an account, where they differ from the deployment's. */
export type AccountLimits = { readonly [N in keyof typeof account]?: number };
/** The own limits of a key of scope `ingest`. */
export type IngestLimits = { readonly [N in keyof typeof ingest]?: number };

/** The limits of a deployment. */
export type LimitValues = Readonly<Record<keyof ServiceLimits, number>> & {
  readonly ingest: Readonly<Record<keyof typeof ingest, number>>;
  readonly test: Readonly<Record<keyof typeof LIMITS.test, number>>;
};

/** The limits whose use the table `budgets` can have: its owner is an account or a key. */
const BUDGETS = { ...account, ...ingest, ...fixed };
export type BudgetName = keyof typeof BUDGETS;
const PERIODS: Partial<Record<Unit, number>> = { 'an hour': DAY_MS / 24, 'a day': DAY_MS };
/** The milliseconds of each period of a budget. */
export const PERIOD_LENGTHS = Object.values(PERIODS);

/** Returns the milliseconds after which a budget begins anew; null if it is of what exists at a time. */
export function periodOf(name: BudgetName): number | null {
  return PERIODS[BUDGETS[name].unit] ?? null;
}

/** Maps each limit by a function. Keeps the names. */
export function mapLimits<Name extends string, Of, Made>(
  limits: Readonly<Record<Name, Of>>,
  make: (limit: Of, name: Name) => Made,
): Record<Name, Made> {
  const names = Object.keys(limits) as Name[];
  return Object.fromEntries(names.map((name) => [name, make(limits[name], name)])) as Record<Name, Made>;
}

/** Returns a limit in words, such as "Requests a minute". */
export function limitText({ label, unit }: Readonly<Record<'label' | 'unit', string>>): string {
  return `${label} ${unit}`;
}
