import * as z from 'zod';
import type { AddressPolicy } from '../domain/address-policy.ts';
import { DEFAULT_SCHEDULE, type Schedule, scaleSchedule } from '../domain/schedule.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { JURISDICTIONS, LOCATION_HINTS, type Place } from './place.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const domainList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((domain) => domain !== ''))
  .pipe(z.array(z.string().regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)*)$/, 'must be domain names, or *')).min(1));

const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** The Worker's variables and secrets, as wrangler.toml documents them. */
const Variables = z.object({
  /** Public address of the service, without a slash at its end. */
  BASE_URL: baseUrl,
  ENVIRONMENT: z.enum(['production', 'local']).default('production'),
  ACCEPTED_DEMO_DOMAINS: domainList,
  /** Multiplies retry and webhook waits; only where ENVIRONMENT is local. */
  TIME_SCALE: z.coerce.number().positive().max(1).default(1),
  /** Seconds that a lease lasts; only where ENVIRONMENT is local, to try out what happens when hosts die. */
  LEASE_S: z.coerce.number().min(2).max(60).optional(),
  /** Days that an unsaved clip is kept. */
  CLIP_TTL_DAYS: z.coerce.number().positive().default(30),
  ADMIN_TOKEN: z.string().min(32).optional(),
  /** `error` for trouble alone; `info` for each change of a job as well. */
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** The share of requests of which a line is written; changes of jobs and trouble are all written. */
  LOG_SAMPLE: z.coerce.number().min(0).max(1).default(0.01),
  /** See `Place`. Chosen before the first job, and never changed. */
  JURISDICTION: JURISDICTIONS.optional(),
  LOCATION_HINT: LOCATION_HINTS.optional(),
  /** Public address of the bucket of clips, without a slash at its end. */
  MEDIA_BASE_URL: baseUrl.optional(),
  /** The Cloudflare zone of the media host, and a token that may purge its cache. */
  PURGE_ZONE_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the 32 hexadecimal digits of a zone')
    .optional(),
  PURGE_TOKEN: z.string().min(1).optional(),
  /** The clip on the landing page; `latest` for the newest one, only where ENVIRONMENT is local. */
  LANDING_CLIP_ID: z.union([z.uuid(), z.literal('latest')]).optional(),
});

export interface Settings extends AddressPolicy {
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly logLevel: LogLevel;
  /** The share of requests of which a line is written. */
  readonly logSample: number;
  readonly place: Place;
  /** Whether there is a cache in front of the Worker: there is none on workers.dev. */
  readonly hasCache: boolean;
  readonly schedule: Schedule;
  /** Milliseconds that an unsaved clip is kept. */
  readonly clipTtl: number;
  /** Null switches the admin API off. */
  readonly adminToken: string | null;
  /** Where viewers' browsers load the files of clips from; null for the Worker itself. */
  readonly mediaBaseUrl: string | null;
  /** What may be told to forget files of the media host; null leaves them to their time. */
  readonly purge: { readonly zoneId: string; readonly token: string } | null;
  readonly landingClip: string | 'latest' | null;
}

/** Reads the settings out of the Worker's environment. Throws one error that names every variable that is wrong. */
export function loadSettings(env: object): Settings {
  const parsed = Variables.safeParse(env);
  if (!parsed.success) throw new Error(`the Worker's variables are wrong:\n${z.prettifyError(parsed.error)}`);
  const { BASE_URL, ENVIRONMENT, ACCEPTED_DEMO_DOMAINS, TIME_SCALE, CLIP_TTL_DAYS, ADMIN_TOKEN } = parsed.data;
  const { MEDIA_BASE_URL, PURGE_ZONE_ID, PURGE_TOKEN, LANDING_CLIP_ID } = parsed.data;
  const isLocal = ENVIRONMENT === 'local';
  const { LEASE_S } = parsed.data;
  if (!isLocal && TIME_SCALE !== 1) throw new Error('TIME_SCALE is only for ENVIRONMENT = "local"');
  if (!isLocal && LEASE_S !== undefined) throw new Error('LEASE_S is only for ENVIRONMENT = "local"');
  const schedule = scaleSchedule(DEFAULT_SCHEDULE, TIME_SCALE);
  if (!isLocal && LANDING_CLIP_ID === 'latest') {
    throw new Error(
      'LANDING_CLIP_ID = "latest" would show the clips of all accounts: it is only for ENVIRONMENT = "local"',
    );
  }
  const purge = PURGE_ZONE_ID && PURGE_TOKEN ? { zoneId: PURGE_ZONE_ID, token: PURGE_TOKEN } : null;
  if (!purge !== !(PURGE_ZONE_ID || PURGE_TOKEN) || (purge && !MEDIA_BASE_URL)) {
    throw new Error(
      'PURGE_ZONE_ID, PURGE_TOKEN and MEDIA_BASE_URL belong together: set all, or MEDIA_BASE_URL alone, or none',
    );
  }
  return {
    baseUrl: BASE_URL,
    isLocal,
    logLevel: parsed.data.LOG_LEVEL,
    logSample: parsed.data.LOG_SAMPLE,
    place: { jurisdiction: parsed.data.JURISDICTION ?? null, locationHint: parsed.data.LOCATION_HINT ?? null },
    hasCache: !new URL(BASE_URL).hostname.endsWith('.workers.dev'),
    acceptedDomains: ACCEPTED_DEMO_DOMAINS,
    allowPrivateAddresses: isLocal,
    schedule: LEASE_S === undefined ? schedule : { ...schedule, leaseTtl: LEASE_S * 1000 },
    clipTtl: CLIP_TTL_DAYS * DAY_MS,
    adminToken: ADMIN_TOKEN ?? null,
    mediaBaseUrl: MEDIA_BASE_URL ?? null,
    purge,
    landingClip: LANDING_CLIP_ID ?? null,
  };
}
