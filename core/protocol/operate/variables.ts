import * as z from 'zod';
import { PRODUCT } from '#domain/account/brand.ts';
import { USUAL_SHARE } from '#domain/host/fair-queue.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { WEB_PORTS } from '#domain/lib/address-policy.ts';
import { didYouMean } from '#domain/lib/nearest-name.ts';
import { type LimitVariable, VARIABLE_LIMITS } from '#domain/operate/limits.ts';
import {
  baseUrl,
  brand,
  domainList,
  headerName,
  hexadecimal,
  jurisdiction,
  locationHint,
  originList,
  portList,
  priceList,
  wholeNumber,
} from '../lib/shapes.ts';

/** The levels of the log: every change, or errors only. */
export const LOG_LEVELS = ['info', 'error'] as const;

/** The variables that replace defaults of limits. */
const LIMIT_SHAPES = Object.fromEntries(
  Object.values(VARIABLE_LIMITS).flatMap(({ variable, preset }) => (variable ? [[variable, wholeNumber(preset)]] : [])),
) as Record<LimitVariable, ReturnType<typeof wholeNumber>>;

const faceitKey = z.string().regex(/^[\w.-]+$/, 'must be a key alone');
const FACEIT_URL = 'https://open.faceit.com';

/** The Worker's variables and secrets, as wrangler.toml documents them. */
const SHAPES = {
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
  PURGE_ZONE_ID: hexadecimal.optional(),
  PURGE_TOKEN: z.string().min(1).optional(),
  /** Key of an app of FACEIT; a second key, if only that one may download; the address of a stand-in, for tests. */
  FACEIT_API_KEY: faceitKey.optional(),
  FACEIT_DOWNLOADS_KEY: faceitKey.optional(),
  FACEIT_URL: baseUrl.default(FACEIT_URL),
  /** Other addresses of this service, such as its name on workers.dev. */
  OWN_ORIGINS: originList.default([]),
  /** Jobs that one host may have at a time. */
  HOST_SLOTS: wholeNumber(32),
  /** The largest share of assigned jobs that best-effort jobs of one account get while other accounts wait. */
  ACCOUNT_SHARE: z.coerce.number().min(0.1).max(1).default(USUAL_SHARE),
  /** The renderer of clips whose request and account name none. */
  RENDERER: z.enum(RENDERERS).default('cs2'),
  /** The oldest version of the host program that gets work. */
  MIN_AGENT_VERSION: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/, 'must be a version, such as 1.4.0')
    .optional(),
  /** Whether reserved keys of an account whose `provisioned_slots` is 0 cannot submit. */
  RESERVED_NEEDS_SLOTS: z.enum(['true', 'false']).default('false'),
  ...LIMIT_SHAPES,
  /** The header with the client's address; on Cloudflare the platform's own by default. */
  CLIENT_ADDRESS_HEADER: headerName.optional(),
  /** Only on a stack: if less of its disk is free, submits, uploads and claims are refused. */
  DISK_RESERVE_MIB: wholeNumber(512),
  /** Ports below 1024 that webhooks and demos may name. */
  LOW_PORTS: portList.default([...WEB_PORTS]),
  /** The clip on the landing page; `latest` for the newest one, only where ENVIRONMENT is local. */
  LANDING_CLIP_ID: z.union([z.uuid(), z.literal('latest')], 'must be the id of a clip').optional(),
  /** Prices of an hour rendered with a metered key, up to a resolution and frame rate; shown by plans. */
  METERED_PRICES: priceList.optional(),
  /** Where viewers report a clip: a page or an email address; without it, pages have no link for that. */
  ABUSE_URL: z.url({ protocol: /^(https|mailto)$/ }).optional(),
  /** The brand of the deployment. An empty name means no name. */
  BRAND_NAME: brand.name.default(PRODUCT.name),
  BRAND_URL: brand.url.optional(),
  BRAND_LOGO: brand.logo.optional(),
  BRAND_COLOUR: brand.colour.optional(),
};
type Name = keyof typeof SHAPES;
export const VARIABLES = Object.keys(SHAPES) as readonly Name[];

export type Variables = { readonly [N in Name]: z.output<(typeof SHAPES)[N]> };

/** The variables that are secrets: no file of the configuration has them, and Cloudflare returns only their names. */
export const SECRETS = [
  'ADMIN_TOKEN',
  'CLIP_ID_SECRET',
  'METRICS_TOKEN',
  'ALERT_WEBHOOK_URL',
  'HEARTBEAT_URL',
  'PURGE_TOKEN',
  'FACEIT_API_KEY',
  'FACEIT_DOWNLOADS_KEY',
] as const satisfies readonly Name[];

/**
 * Variables without which nothing works, or whose defaults would put data in another place or repeat a fence. The
 * service refuses to run without a valid value of these, and of no others.
 */
const FATAL: ReadonlySet<string> = new Set<Name>(['BASE_URL', 'CLIP_ID_SECRET', 'JURISDICTION', 'FENCE_FLOOR']);

/** Variables that do nothing without another one. */
const PARTNERS: readonly (readonly [Name, Name])[] = [
  ['PURGE_ZONE_ID', 'PURGE_TOKEN'],
  ['PURGE_TOKEN', 'PURGE_ZONE_ID'],
  ['FACEIT_DOWNLOADS_KEY', 'FACEIT_API_KEY'],
];

/** Used for an invalid value if there is no default, or if the default would delete or allow what must not be. */
const INSTEAD: Partial<Variables> = {
  ACCEPTED_DEMO_DOMAINS: [],
  CLIP_TTL_DAYS: 36_500,
  DEMO_TTL_DAYS: 36_500,
  BRAND_NAME: '',
  LIMIT_JOBS_KEPT: Number.MAX_SAFE_INTEGER,
};

/** A wrong variable. `problem` never has its value, which may be a secret. */
export interface VariableFault {
  readonly variable: string;
  /** The rule that it breaks, and what the service does instead. */
  readonly problem: string;
  readonly isMissing?: boolean;
  /** Whether the service refuses to run. */
  readonly isFatal?: boolean;
}

/**
 * Reads the variables of a Worker's environment. An empty one counts as missing, except `BRAND_NAME`. Replaces a wrong
 * one by its default or `INSTEAD`, if there is one, and ignores its partner. Never throws.
 */
export function readVariables(env: object): { readonly values: Variables; readonly faults: VariableFault[] } {
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || name === 'BRAND_NAME'),
  );
  const values: Record<string, unknown> = {};
  const faults: VariableFault[] = [];
  const replace = (variable: Name, rule: string) => {
    const value = variable in INSTEAD ? INSTEAD[variable] : SHAPES[variable].safeParse(undefined).data;
    const isFatal = FATAL.has(variable);
    const instead = value === undefined ? 'it is ignored' : `${JSON.stringify(value)} is used instead`;
    values[variable] = value;
    faults.push({
      variable,
      problem: isFatal ? rule : `${rule}; ${instead}`,
      isMissing: !(variable in given),
      isFatal,
    });
  };
  for (const [name, shape] of Object.entries(SHAPES)) {
    const { data, error } = shape.safeParse(given[name]);
    values[name] = data;
    if (error) replace(name as Name, name in given ? (error.issues[0]?.message ?? '') : 'is missing');
  }
  if (values.ENVIRONMENT !== 'local') {
    const only = (name: Name) => replace(name, 'is only for ENVIRONMENT = "local"');
    if (values.TIME_SCALE !== 1) only('TIME_SCALE');
    if (values.LEASE_S !== undefined) only('LEASE_S');
    if (values.FACEIT_URL !== FACEIT_URL) only('FACEIT_URL');
    // It would show the clips of all accounts.
    if (values.LANDING_CLIP_ID === 'latest') only('LANDING_CLIP_ID');
  }
  for (const [name, needed] of PARTNERS) {
    if (values[name] === undefined || values[needed] !== undefined) continue;
    values[name] = undefined;
    const problem = `is missing; ${name} cannot be used without it`;
    if (!(needed in given)) faults.push({ variable: needed, problem, isMissing: true });
  }
  return { values: values as Variables, faults };
}

/** Each secret accepts one of these values. */
const PLACEHOLDERS = ['f'.repeat(32), 'https://a.invalid'];

/**
 * Returns the faults of a deployment's variables before they are uploaded, unknown names too. `vars`: also has secrets
 * with a known value. `secrets`: the names of all secrets that are set; null if they are not known.
 */
export function checkVariables(
  vars: Readonly<Record<string, unknown>>,
  secrets: readonly string[] | null,
): VariableFault[] {
  const named = (secrets ?? []).filter((name) => !(name in vars));
  const accepted = named.map((name) => {
    return [name, PLACEHOLDERS.find((value) => SHAPES[name as Name]?.safeParse(value).success)];
  });
  const faults = readVariables({ ...vars, ...Object.fromEntries(accepted) }).faults.filter(
    ({ variable, isMissing }) => secrets !== null || !isMissing || !SECRETS.some((name) => name === variable),
  );
  const unknown = Object.keys(vars).filter((name) => !(name in SHAPES));
  return [
    ...faults,
    ...unknown.map((variable) => ({
      variable,
      problem: `is no variable of the service${didYouMean(variable, VARIABLES)}`,
    })),
  ];
}
