import * as z from 'zod';
import { DEFAULT_SCHEDULE, type Schedule, scaleSchedule } from '../domain/schedule.ts';
import type { AddressPolicy } from '../protocol/demo-url.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const domainList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((domain) => domain !== ''))
  .pipe(z.array(z.string().regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)*)$/, 'must be domain names, or *')).min(1));

/** The Worker's variables and secrets, as wrangler.toml documents them. */
const Variables = z.object({
  /** Public address of the service, without a slash at its end. */
  BASE_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  ENVIRONMENT: z.enum(['production', 'local']).default('production'),
  ACCEPTED_DEMO_DOMAINS: domainList,
  /** Multiplies retry and webhook waits; only where ENVIRONMENT is local. */
  TIME_SCALE: z.coerce.number().positive().max(1).default(1),
  /** Days that an unsaved clip is kept. */
  CLIP_TTL_DAYS: z.coerce.number().positive().default(30),
  ADMIN_TOKEN: z.string().min(32).optional(),
});

export interface Settings extends AddressPolicy {
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly schedule: Schedule;
  /** Milliseconds that an unsaved clip is kept. */
  readonly clipTtl: number;
  /** Null switches the admin API off. */
  readonly adminToken: string | null;
}

/** Reads the settings out of the Worker's environment. Throws one error that names every variable that is wrong. */
export function loadSettings(env: object): Settings {
  const parsed = Variables.safeParse(env);
  if (!parsed.success) throw new Error(`the Worker's variables are wrong:\n${z.prettifyError(parsed.error)}`);
  const { BASE_URL, ENVIRONMENT, ACCEPTED_DEMO_DOMAINS, TIME_SCALE, CLIP_TTL_DAYS, ADMIN_TOKEN } = parsed.data;
  const isLocal = ENVIRONMENT === 'local';
  if (!isLocal && TIME_SCALE !== 1) throw new Error('TIME_SCALE is only for ENVIRONMENT = "local"');
  return {
    baseUrl: BASE_URL,
    isLocal,
    acceptedDomains: ACCEPTED_DEMO_DOMAINS,
    allowPrivateAddresses: isLocal,
    schedule: scaleSchedule(DEFAULT_SCHEDULE, TIME_SCALE),
    clipTtl: CLIP_TTL_DAYS * DAY_MS,
    adminToken: ADMIN_TOKEN ?? null,
  };
}
