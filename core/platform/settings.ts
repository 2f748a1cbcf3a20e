import type { z } from 'zod';
import type { Brand } from '#domain/account/brand.ts';
import type { Renderer } from '#domain/host/need.ts';
import { DEFAULT_SCHEDULE, type Schedule, scaleSchedule } from '#domain/job/schedule.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { LIMITS, type LimitValues, type LimitVariable, mapLimits, SERVICE_LIMITS } from '#domain/operate/limits.ts';
import type { jurisdiction, locationHint, PriceList } from '#protocol/lib/shapes.ts';
import { readVariables, type VariableFault } from '#protocol/operate/variables.ts';
import { createLog, type LogLevel } from './log.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
  /** The wrong variables. The operator sees them in the overview. */
  readonly faults: readonly VariableFault[];
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
  readonly hostSlots: number;
  readonly accountShare: number;
  /** The renderer of clips whose request and account name none. */
  readonly renderer: Renderer;
  /** Null accepts any version. */
  readonly minAgentVersion: string | null;
  readonly reservedNeedsSlots: boolean;
  readonly limits: LimitValues;
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
  /** The zone whose cache is purged of pages and files of clips; null if they stay until they expire. */
  readonly purge: { readonly zoneId: string; readonly token: string } | null;
  /** Null if FACEIT signs no demos for this service. */
  readonly faceit: { readonly url: string; readonly apiKey: string; readonly downloadsKey: string } | null;
  /** Null if plans name no price. */
  readonly prices: PriceList | null;
  readonly landingClip: string | 'latest' | null;
  /** What viewers see, except on clips of an account with a brand of its own. */
  readonly brand: Brand;
  /** Null for the form of the service. */
  readonly abuseUrl: string | null;
}

let last: { readonly variables: string; readonly settings: Settings } | null = null;

/**
 * Returns the settings of an environment and caches them, because parsing takes longer than the rest of creating an
 * object. Logs wrong variables once an isolate. Throws like `loadSettings`.
 */
export function settingsOf(env: object): Settings {
  // Bindings by their names.
  const variables = JSON.stringify(
    Object.entries(env).map(([name, value]) => [name, Object(value) === value || value]),
  );
  if (last?.variables === variables) return last.settings;
  const settings = loadSettings(env);
  last = { variables, settings };
  const faults = settings.faults.map(({ variable, problem }) => `${variable} ${problem}`);
  if (faults.length > 0) createLog(settings.logLevel)("some of the Worker's variables are wrong", { faults });
  return settings;
}

/**
 * Reads the settings from the Worker's environment. A wrong variable disables its feature, or its default is used: see
 * `faults`. Throws one Error that names every wrong variable without which the service cannot run.
 */
export function loadSettings(env: object): Settings {
  const { values, faults } = readVariables(env);
  const fatal = faults.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0) {
    const lines = fatal.map(({ variable, problem }) => `${variable} ${problem}`);
    throw new Error(`the Worker's variables are wrong:\n${lines.join('\n')}`);
  }
  const { BASE_URL, ACCEPTED_DEMO_DOMAINS, TIME_SCALE, CLIP_TTL_DAYS, MEDIA_BASE_URL } = values;
  const { BRAND_NAME: name, BRAND_URL: url = BASE_URL, BRAND_LOGO: logo = null, BRAND_COLOUR: colour = null } = values;
  const isLocal = values.ENVIRONMENT === 'local';
  const { LEASE_S, RUN_DEADLINE_HOURS, RUN_HOST_MINUTES, WEBHOOK_SECRET_DAYS } = values;
  const schedule = scaleSchedule(DEFAULT_SCHEDULE, TIME_SCALE);
  const { PURGE_ZONE_ID, PURGE_TOKEN, FACEIT_API_KEY: apiKey, FACEIT_DOWNLOADS_KEY: downloadsKey = apiKey } = values;
  const limitOf = ({ variable, preset }: { readonly variable: LimitVariable | undefined; readonly preset: number }) =>
    variable === undefined ? preset : values[variable];
  const limits = {
    ...mapLimits(SERVICE_LIMITS, limitOf),
    ingest: mapLimits(LIMITS.ingest, limitOf),
    test: mapLimits(LIMITS.test, ({ preset }) => preset),
  };
  return {
    faults,
    baseUrl: BASE_URL,
    isLocal,
    logLevel: values.LOG_LEVEL,
    logSample: values.LOG_SAMPLE,
    place: { jurisdiction: values.JURISDICTION ?? null, locationHint: values.LOCATION_HINT ?? null },
    hasCache: !new URL(BASE_URL).hostname.endsWith('.workers.dev'),
    acceptedDomains: ACCEPTED_DEMO_DOMAINS,
    allowPrivateAddresses: isLocal,
    ownOrigins: [BASE_URL, ...(MEDIA_BASE_URL ? [MEDIA_BASE_URL] : []), ...values.OWN_ORIGINS].map(
      (url) => new URL(url),
    ),
    lowPorts: values.LOW_PORTS,
    clipIdSecret: values.CLIP_ID_SECRET,
    schedule: {
      ...schedule,
      rerunsAnHour: limits.reruns,
      ...(LEASE_S === undefined ? {} : { leaseTtl: LEASE_S * 1000 }),
      ...(RUN_DEADLINE_HOURS === undefined ? {} : { runDeadline: RUN_DEADLINE_HOURS * HOUR_MS }),
      ...(RUN_HOST_MINUTES === undefined ? {} : { hostBudget: RUN_HOST_MINUTES * MINUTE_MS }),
      ...(WEBHOOK_SECRET_DAYS === undefined ? {} : { secretKept: WEBHOOK_SECRET_DAYS * DAY_MS }),
    },
    fenceFloor: values.FENCE_FLOOR,
    diskReserve: values.DISK_RESERVE_MIB * 1024 * 1024,
    hostSlots: values.HOST_SLOTS,
    accountShare: values.ACCOUNT_SHARE,
    renderer: values.RENDERER,
    minAgentVersion: values.MIN_AGENT_VERSION ?? null,
    reservedNeedsSlots: values.RESERVED_NEEDS_SLOTS === 'true',
    limits,
    // Only Cloudflare stops clients from sending its header.
    addressHeader: values.CLIENT_ADDRESS_HEADER ?? (isLocal ? null : 'CF-Connecting-IP'),
    clipTtl: CLIP_TTL_DAYS * DAY_MS,
    demoTtl: values.DEMO_TTL_DAYS * DAY_MS,
    requestTtl: values.REQUEST_TTL_DAYS === undefined ? null : values.REQUEST_TTL_DAYS * DAY_MS,
    adminToken: values.ADMIN_TOKEN ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    alertUrl: values.ALERT_WEBHOOK_URL ?? null,
    heartbeatUrl: values.HEARTBEAT_URL ?? null,
    mediaBaseUrl: MEDIA_BASE_URL ?? null,
    // The variables of a group are all set, or none is.
    purge: PURGE_ZONE_ID && PURGE_TOKEN ? { zoneId: PURGE_ZONE_ID, token: PURGE_TOKEN } : null,
    faceit: apiKey && downloadsKey ? { url: values.FACEIT_URL, apiKey, downloadsKey } : null,
    prices: values.METERED_PRICES ?? null,
    landingClip: values.LANDING_CLIP_ID ?? null,
    brand: { name, url, logo, colour },
    abuseUrl: values.ABUSE_URL ?? null,
  };
}
