import { DEFAULTS, MOST_TICKS, TICKS_A_SECOND } from './render-order.ts';

/** A limit of what somebody may do or have. */
interface Limit {
  /** What is counted, in its unit. */
  readonly label: string;
  readonly unit: 'a minute' | 'an hour' | 'a day' | 'at a time' | 'a clip' | 'a run' | 'a request';
  readonly preset: number;
  /** The variable that replaces the default. A limit without one is a constant. */
  readonly variable?: `LIMIT_${string}`;
  /** Whose limit it is, if it is not its group's. */
  readonly of?: 'a host' | 'an address' | 'a job';
}

/**
 * All limits, by the names of their fields. Settings, the operators' API, the console and the table of docs/security.md
 * are made of this table. Days are of UTC.
 */
export const LIMITS = {
  /** Of an account, which may have its own values. */
  account: {
    requests: { label: 'Requests', unit: 'a minute', preset: 12_000, variable: 'LIMIT_REQUESTS' },
    submits: { label: 'Submits', unit: 'a minute', preset: 3000, variable: 'LIMIT_SUBMITS' },
    uploads: { label: 'Uploads begun, of assets and demos', unit: 'a minute', preset: 120, variable: 'LIMIT_UPLOADS' },
    follows: { label: 'Event streams opened', unit: 'a minute', preset: 1200 },
    jobs: { label: 'Jobs not finished', unit: 'at a time', preset: 20_000, variable: 'LIMIT_JOBS' },
    jobs_a_day: { label: 'New jobs', unit: 'a day', preset: 100_000, variable: 'LIMIT_JOBS_DAY' },
    agent_seconds_a_day: {
      label: 'Seconds of clip rendered by agents',
      unit: 'a day',
      preset: 30 * 60,
      variable: 'LIMIT_AGENT_SECONDS_DAY',
    },
    jobs_kept: { label: 'Jobs kept', unit: 'at a time', preset: 1_000_000, variable: 'LIMIT_JOBS_KEPT' },
    open_uploads: { label: 'Demo uploads not complete', unit: 'at a time', preset: 200 },
    assets: { label: 'Assets stored', unit: 'at a time', preset: 1000 },
    asset_mib: { label: 'MiB of assets stored', unit: 'at a time', preset: 1024 },
    /** The default is the most that a timeline can ask for at the default frame rate. */
    frames: {
      label: 'Frames rendered',
      unit: 'a clip',
      preset: (MOST_TICKS / TICKS_A_SECOND) * DEFAULTS.fps,
      variable: 'LIMIT_CLIP_FRAMES',
    },
    unbilled: { label: 'Minutes of hosts for runs without a clip', unit: 'a day', preset: 24 * 60 },
    fallback: { label: 'Minutes before a fallback to the radar', unit: 'a run', preset: 10 },
  },
  /** Of a key of scope `ingest`, which may have its own values. */
  ingest: {
    mib: { label: 'MiB of demos sent', unit: 'a day', preset: 10 * 1024 },
    demos: { label: 'Demos sent', unit: 'a day', preset: 100 },
    clips: { label: 'Clips that rules make of its demos', unit: 'a day', preset: 200 },
  },
  /** The same for all; of an account unless `of` says otherwise. */
  fixed: {
    webhook_tests: { label: 'Webhooks to try a receiver', unit: 'a minute', preset: 30 },
    host_requests: {
      label: 'Requests with its token',
      unit: 'a minute',
      preset: 12_000,
      variable: 'LIMIT_HOST_REQUESTS',
      of: 'a host',
    },
    /** Well-formed keys that do not exist; wrong tokens of operators, monitors and console sessions. */
    key_guesses: {
      label: 'Guesses of keys and tokens',
      unit: 'a minute',
      preset: 100,
      variable: 'LIMIT_KEY_GUESSES',
      of: 'an address',
    },
    clip_guesses: { label: 'Requests for missing clips', unit: 'a minute', preset: 600, of: 'an address' },
    views: { label: 'Views that count', unit: 'a minute', preset: 120, variable: 'LIMIT_VIEWS', of: 'an address' },
    resends: { label: 'Webhooks sent again', unit: 'an hour', preset: 60, of: 'a job' },
    reruns: { label: 'Runs after the first', unit: 'an hour', preset: 60, of: 'a job' },
    followers: { label: 'Followers', unit: 'at a time', preset: 50, of: 'a job' },
    demo_mib: {
      label: 'MiB of uploaded demos, each 1 MiB at least',
      unit: 'at a time',
      preset: 20 * 1024,
      variable: 'LIMIT_DEMO_MIB',
    },
    /** The default is what Cloudflare takes on its small plans. */
    ingest_mb: {
      label: 'MB of a demo from a game server',
      unit: 'a request',
      preset: 100,
      variable: 'LIMIT_INGEST_MB',
    },
    inspections: { label: 'Demos being inspected', unit: 'at a time', preset: 20, variable: 'LIMIT_INSPECTIONS' },
    rules: { label: 'Rules', unit: 'at a time', preset: 100 },
  },
} as const satisfies Record<string, Readonly<Record<string, Limit>>>;

const { account, ingest, fixed } = LIMITS;
export const SERVICE_LIMITS = { ...account, ...fixed };
type ServiceLimits = typeof SERVICE_LIMITS;

/** The limits that an isolate counts by the minute. */
export type RateName = {
  [N in keyof ServiceLimits]: ServiceLimits[N] extends { readonly unit: 'a minute' } ? N : never;
}[keyof ServiceLimits];
export const RATES = Object.fromEntries(
  Object.entries(SERVICE_LIMITS).filter(([, { unit }]) => unit === 'a minute'),
) as Pick<ServiceLimits, RateName>;
export type LimitVariable = Extract<ServiceLimits[keyof ServiceLimits], { readonly variable: string }>['variable'];

/** The own limits of an account, where they differ from the deployment's. */
export type AccountLimits = { readonly [N in keyof typeof account]?: number };
/** The own limits of a key of scope `ingest`. */
export type IngestLimits = { readonly [N in keyof typeof ingest]?: number };

/** The limits of a deployment. */
export type LimitValues = Readonly<Record<keyof ServiceLimits, number>> & {
  readonly ingest: Readonly<Record<keyof typeof ingest, number>>;
};

/** Returns a record with the same names, and with what the function makes of each limit. */
export function mapLimits<Name extends string, Of, Made>(
  limits: Readonly<Record<Name, Of>>,
  make: (limit: Of, name: Name) => Made,
): Record<Name, Made> {
  const names = Object.keys(limits) as Name[];
  return Object.fromEntries(names.map((name) => [name, make(limits[name], name)])) as Record<Name, Made>;
}

/** Returns a limit in words, such as "Requests a minute". */
export function limitText({ label, unit }: Pick<Limit, 'label' | 'unit'>): string {
  return `${label} ${unit}`;
}
