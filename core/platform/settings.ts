import * as z from 'zod';
import { type AddressPolicy, WEB_PORTS } from '#domain/address-policy.ts';
import { UNPROVEN_POLICIES, type UnprovenPolicy } from '#domain/build-trust.ts';
import { USUAL_SHARE } from '#domain/fair-queue.ts';
import { DEFAULT_SCHEDULE, type Schedule, scaleSchedule } from '#domain/schedule.ts';
import { MOST_SHARDS } from '#domain/shards.ts';
import {
  baseUrl,
  domainList,
  jurisdiction,
  locationHint,
  originList,
  portList,
  together,
} from '#protocol/variable-shapes.ts';
import { LIMIT_VARIABLES, limitVariable } from './limit-settings.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The Worker's variables and secrets, as wrangler.toml documents them. */
const Variables = z.object({
  /** Public address of the service, without a slash at its end. */
  BASE_URL: baseUrl,
  ENVIRONMENT: z.enum(['production', 'local']).default('production'),
  ACCEPTED_DEMO_DOMAINS: domainList,
  /** Multiplies waits of retries and webhooks; only with ENVIRONMENT local. */
  TIME_SCALE: z.coerce.number().positive().max(1).default(1),
  /** Seconds of a lease; only with ENVIRONMENT local, for trials of failing hosts. */
  LEASE_S: z.coerce.number().min(2).max(600).optional(),
  /** Days that an unsaved clip is kept. */
  CLIP_TTL_DAYS: z.coerce.number().positive().default(30),
  /** Days that an uploaded demo and an inspection are kept. */
  DEMO_TTL_DAYS: z.coerce.number().positive().default(7),
  /** Days after its outcome that a job without a clip keeps its request; unlimited by default. */
  REQUEST_TTL_DAYS: z.coerce.number().positive().optional(),
  /**
   * Every lease gets a higher fence than this. The stack sets it at each start, so that a restored backup never repeats
   * a fence.
   */
  FENCE_FLOOR: z.coerce.number().int().min(0).default(0),
  ADMIN_TOKEN: z.string().min(32).optional(),
  /** The token with which a monitor reads `/metrics`. */
  METRICS_TOKEN: z.string().min(16).optional(),
  /** Gets the alerts, for deployments without a monitor. */
  ALERT_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Requested after each run of the cron without a failure, for a monitor outside. */
  HEARTBEAT_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Created once. With another value no clip can be found. */
  CLIP_ID_SECRET: z.string().min(32),
  /** Hours after which a run that has not finished fails. */
  RUN_DEADLINE_HOURS: z.coerce.number().positive().optional(),
  /** Minutes that hosts may spend on one run, over all its attempts. */
  RUN_HOST_MINUTES: z.coerce.number().positive().optional(),
  /** Days after an outcome that a job keeps a webhook with an auth header; unlimited by default. */
  WEBHOOK_SECRET_DAYS: z.coerce.number().positive().optional(),
  /** `error` for errors only; `info` for each change of a job as well. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** The share of requests that are logged. Changes of jobs and errors are always logged. */
  LOG_SAMPLE: z.coerce.number().min(0).max(1).default(0.01),
  /** See `DataLocation`. Set before the first job and never changed. */
  JURISDICTION: jurisdiction.optional(),
  LOCATION_HINT: locationHint.optional(),
  /** Public address of the bucket of clips, without a slash at its end. */
  MEDIA_BASE_URL: baseUrl.optional(),
  /** The Cloudflare zone of BASE_URL and the media host, and a token that may purge its cache. */
  PURGE_ZONE_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the 32 hexadecimal digits of a zone')
    .optional(),
  PURGE_TOKEN: z.string().min(1).optional(),
  /** The Cloudflare account whose Analytics Engine is bound as VIEWS, and a token that may read it. */
  VIEWS_ACCOUNT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the 32 hexadecimal digits of an account')
    .optional(),
  VIEWS_TOKEN: z.string().min(1).optional(),
  /** The dataset, as wrangler.toml names it. */
  VIEWS_DATASET: z.string().regex(/^\w+$/, 'must be the name of a dataset').default('tickreel_views'),
  /** The S3 endpoint of the bucket of images and demos, with keys. With them clients upload demos directly to it. */
  S3_URL: baseUrl.optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_REGION: z.string().min(1).default('auto'),
  /** Other addresses of this service, such as its name on workers.dev. */
  OWN_ORIGINS: originList.default([]),
  /** Number of dispatcher objects: docs/scale.md says when one is not enough. */
  DISPATCHERS: z.coerce.number().int().min(1).max(MOST_SHARDS).default(1),
  /** Jobs that one host may have at a time. */
  HOST_SLOTS: limitVariable(32),
  /** The largest share of assigned jobs that best-effort jobs of one account get while other accounts wait. */
  ACCOUNT_SHARE: z.coerce.number().min(0.1).max(1).default(USUAL_SHARE),
  /** The oldest version of the host program that gets work. */
  MIN_AGENT_VERSION: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/, 'must be a version, such as 1.4.0')
    .optional(),
  /** Whether hosts with a build of the game that nobody has recorded with get jobs. */
  UNPROVEN_BUILDS: z.enum(UNPROVEN_POLICIES).default('allow'),
  ...LIMIT_VARIABLES,
  /** The header with the client's address; on Cloudflare the platform's own by default. */
  CLIENT_ADDRESS_HEADER: z.string().min(1).optional(),
  /** Only on a stack: if less of its disk is free, submits, uploads and claims are refused. */
  DISK_RESERVE_MIB: limitVariable(512),
  /** Ports below 1024 that webhooks and demos may name. */
  LOW_PORTS: portList.default([...WEB_PORTS]),
  /** The clip on the landing page; `latest` for the newest one, only where ENVIRONMENT is local. */
  LANDING_CLIP_ID: z.union([z.uuid(), z.literal('latest')]).optional(),
  /** Where viewers report a clip: a page or an email address. */
  ABUSE_URL: z.url({ protocol: /^(https|mailto)$/ }).optional(),
});

/** Limits per minute unless the name says otherwise, or at a time. */
export type LimitSettings = ReturnType<typeof limitsOf>;

function limitsOf(variables: z.output<typeof Variables>) {
  return {
    requests: variables.LIMIT_REQUESTS,
    submits: variables.LIMIT_SUBMITS,
    uploads: variables.LIMIT_UPLOADS,
    follows: variables.LIMIT_FOLLOWS,
    webhookTests: variables.LIMIT_WEBHOOK_TESTS,
    hostRequests: variables.LIMIT_HOST_REQUESTS,
    keyGuesses: variables.LIMIT_KEY_GUESSES,
    clipGuesses: variables.LIMIT_CLIP_GUESSES,
    views: variables.LIMIT_VIEWS,
    resendsAnHour: variables.LIMIT_RESENDS,
    rerunsAnHour: variables.LIMIT_RERUNS,
    jobsADay: variables.LIMIT_JOBS_DAY,
    jobFollowers: variables.LIMIT_JOB_FOLLOWERS,
    jobs: variables.LIMIT_JOBS,
    jobsKept: variables.LIMIT_JOBS_KEPT,
    assets: variables.LIMIT_ASSETS,
    assetBytes: variables.LIMIT_ASSET_MIB * 1024 * 1024,
    inspections: variables.LIMIT_INSPECTIONS,
    frames: variables.LIMIT_CLIP_FRAMES,
    fallback: variables.LIMIT_FALLBACK_MINUTES,
    unbilled: variables.LIMIT_UNBILLED_MINUTES,
    demoBytes: variables.LIMIT_DEMO_MIB * 1024 * 1024,
    openUploads: variables.LIMIT_OPEN_UPLOADS,
  };
}

/**
 * The location of objects. Both values are set before the first job and never changed: an object stays where it was
 * created, and objects of a jurisdiction differ from objects of the same name without one.
 * https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
export interface DataLocation {
  /** The jurisdiction in which objects are stored and run. Create database and bucket in it as well. */
  readonly jurisdiction: z.infer<typeof jurisdiction> | null;
  /** Where new objects are created; by default near their first caller. */
  readonly locationHint: z.infer<typeof locationHint> | null;
}

export interface Settings extends AddressPolicy {
  readonly ownOrigins: readonly URL[];
  readonly lowPorts: readonly number[];
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly logLevel: LogLevel;
  /** The share of requests that are logged. */
  readonly logSample: number;
  readonly place: DataLocation;
  /** Whether a cache is in front of the Worker: workers.dev has none. */
  readonly hasCache: boolean;
  /** The secret from which clip ids are computed. */
  readonly clipIdSecret: string;
  readonly schedule: Schedule;
  /** See `TransitionContext`. */
  readonly fenceFloor: number;
  /** Bytes. */
  readonly diskReserve: number;
  /** Milliseconds that an unsaved clip is kept. */
  readonly clipTtl: number;
  /** Milliseconds that an uploaded demo and an inspection are kept. */
  readonly demoTtl: number;
  /** Milliseconds that a finished job without a clip keeps its request; null for ever. */
  readonly requestTtl: number | null;
  readonly dispatchers: number;
  readonly hostSlots: number;
  readonly accountShare: number;
  /** Null accepts any version. */
  readonly minAgentVersion: string | null;
  readonly unprovenBuilds: UnprovenPolicy;
  readonly limits: LimitSettings;
  /** Null if no header can be trusted. */
  readonly addressHeader: string | null;
  /** Null switches the admin API off. */
  readonly adminToken: string | null;
  /** Null switches `/metrics` off. */
  readonly metricsToken: string | null;
  /** Null disables alerts. */
  readonly alertUrl: string | null;
  /** Null requests nothing after a run of the cron. */
  readonly heartbeatUrl: string | null;
  /** The address of clip files for browsers; null for the Worker itself. */
  readonly mediaBaseUrl: string | null;
  /** The cache that is purged of pages and files of clips; null waits until they expire. */
  readonly purge: { readonly zoneId: string; readonly token: string } | null;
  /** Null if demos are uploaded through the Worker. */
  readonly s3: {
    readonly url: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly region: string;
  } | null;
  /** Where views in Analytics Engine are read; null if it is not used. */
  readonly views: {
    readonly accountId: string;
    readonly token: string;
    readonly dataset: string;
    readonly api: string;
  } | null;
  readonly landingClip: string | 'latest' | null;
  /** Null if viewers cannot report clips. */
  readonly abuseUrl: string | null;
}

let last: { readonly variables: string; readonly settings: Settings } | null = null;

/** Returns the settings of an environment and caches them: parsing takes longer than the rest of creating an object. */
export function settingsOf(env: object): Settings {
  const variables = JSON.stringify(Object.entries(env).filter(([, value]) => typeof value === 'string'));
  if (last?.variables !== variables) last = { variables, settings: loadSettings(env) };
  return last.settings;
}

/** Reads the settings from the Worker's environment. Throws one error that names every invalid variable. */
export function loadSettings(env: object): Settings {
  const parsed = Variables.safeParse(env);
  if (!parsed.success) throw new Error(`the Worker's variables are wrong:\n${z.prettifyError(parsed.error)}`);
  const { BASE_URL, ENVIRONMENT, ACCEPTED_DEMO_DOMAINS, TIME_SCALE, CLIP_TTL_DAYS, ADMIN_TOKEN } = parsed.data;
  const { MEDIA_BASE_URL, LANDING_CLIP_ID } = parsed.data;
  const isLocal = ENVIRONMENT === 'local';
  const { LEASE_S, RUN_DEADLINE_HOURS, RUN_HOST_MINUTES, WEBHOOK_SECRET_DAYS } = parsed.data;
  if (!isLocal && TIME_SCALE !== 1) throw new Error('TIME_SCALE is only for ENVIRONMENT = "local"');
  if (!isLocal && LEASE_S !== undefined) throw new Error('LEASE_S is only for ENVIRONMENT = "local"');
  const schedule = scaleSchedule(DEFAULT_SCHEDULE, TIME_SCALE);
  if (!isLocal && LANDING_CLIP_ID === 'latest') {
    throw new Error(
      'LANDING_CLIP_ID = "latest" would show the clips of all accounts: it is only for ENVIRONMENT = "local"',
    );
  }
  const { PURGE_ZONE_ID, PURGE_TOKEN } = parsed.data;
  const purge = together({ PURGE_ZONE_ID, PURGE_TOKEN });
  const { VIEWS_ACCOUNT_ID, VIEWS_TOKEN, S3_URL, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = parsed.data;
  const views = together({ VIEWS_ACCOUNT_ID, VIEWS_TOKEN });
  const s3 = together({ S3_URL, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY });
  return {
    baseUrl: BASE_URL,
    isLocal,
    logLevel: parsed.data.LOG_LEVEL,
    logSample: parsed.data.LOG_SAMPLE,
    place: { jurisdiction: parsed.data.JURISDICTION ?? null, locationHint: parsed.data.LOCATION_HINT ?? null },
    hasCache: !new URL(BASE_URL).hostname.endsWith('.workers.dev'),
    acceptedDomains: ACCEPTED_DEMO_DOMAINS,
    allowPrivateAddresses: isLocal,
    ownOrigins: [BASE_URL, ...(MEDIA_BASE_URL ? [MEDIA_BASE_URL] : []), ...parsed.data.OWN_ORIGINS].map(
      (url) => new URL(url),
    ),
    lowPorts: parsed.data.LOW_PORTS,
    clipIdSecret: parsed.data.CLIP_ID_SECRET,
    schedule: {
      ...schedule,
      rerunsAnHour: parsed.data.LIMIT_RERUNS,
      ...(LEASE_S === undefined ? {} : { leaseTtl: LEASE_S * 1000 }),
      ...(RUN_DEADLINE_HOURS === undefined ? {} : { runDeadline: RUN_DEADLINE_HOURS * HOUR_MS }),
      ...(RUN_HOST_MINUTES === undefined ? {} : { hostBudget: RUN_HOST_MINUTES * MINUTE_MS }),
      ...(WEBHOOK_SECRET_DAYS === undefined ? {} : { secretKept: WEBHOOK_SECRET_DAYS * DAY_MS }),
    },
    fenceFloor: parsed.data.FENCE_FLOOR,
    diskReserve: parsed.data.DISK_RESERVE_MIB * 1024 * 1024,
    dispatchers: parsed.data.DISPATCHERS,
    hostSlots: parsed.data.HOST_SLOTS,
    accountShare: parsed.data.ACCOUNT_SHARE,
    minAgentVersion: parsed.data.MIN_AGENT_VERSION ?? null,
    unprovenBuilds: parsed.data.UNPROVEN_BUILDS,
    limits: limitsOf(parsed.data),
    // Only Cloudflare stops clients from sending its header.
    addressHeader: parsed.data.CLIENT_ADDRESS_HEADER ?? (isLocal ? null : 'CF-Connecting-IP'),
    clipTtl: CLIP_TTL_DAYS * DAY_MS,
    demoTtl: parsed.data.DEMO_TTL_DAYS * DAY_MS,
    requestTtl: parsed.data.REQUEST_TTL_DAYS === undefined ? null : parsed.data.REQUEST_TTL_DAYS * DAY_MS,
    adminToken: ADMIN_TOKEN ?? null,
    metricsToken: parsed.data.METRICS_TOKEN ?? null,
    alertUrl: parsed.data.ALERT_WEBHOOK_URL ?? null,
    heartbeatUrl: parsed.data.HEARTBEAT_URL ?? null,
    mediaBaseUrl: MEDIA_BASE_URL ?? null,
    purge: purge && { zoneId: purge.PURGE_ZONE_ID, token: purge.PURGE_TOKEN },
    s3: s3 && {
      url: s3.S3_URL,
      ...{ accessKeyId: s3.S3_ACCESS_KEY_ID, secretAccessKey: s3.S3_SECRET_ACCESS_KEY, region: parsed.data.S3_REGION },
    },
    views: views && {
      ...{ accountId: views.VIEWS_ACCOUNT_ID, token: views.VIEWS_TOKEN, dataset: parsed.data.VIEWS_DATASET },
      api: 'https://api.cloudflare.com/client/v4',
    },
    landingClip: LANDING_CLIP_ID ?? null,
    abuseUrl: parsed.data.ABUSE_URL ?? null,
  };
}
