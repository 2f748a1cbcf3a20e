import type { Unstable_Config as DeployConfig } from 'wrangler';
import { checkVariables, SECRETS } from '#protocol/operate/variables.ts';
import { addressFault } from './public-variables.ts';
import { RUNTIME } from './service.ts';

/** The result of one check. `advice` says what to do if it failed. */
export interface ConfigFinding {
  readonly what: string;
  readonly isWell: boolean;
  readonly advice: string;
  /** Whether the service works without it. */
  readonly isMinor?: boolean;
}

/**
 * The fewest subrequests that the cron's longest run needs, and the most CPU time that an invocation may have. Only the
 * paid plan accepts limits: with them, a deploy to a free plan is refused.
 */
const LEAST_SUBREQUESTS = 10_000;
const MOST_CPU_MS = 30_000;

/** Checks the configuration of a deployment. */
export function checkConfig(config: DeployConfig): ConfigFinding[] {
  const { vars } = config;
  const fault = addressFault(String(vars.BASE_URL ?? ''));
  const host = URL.parse(String(vars.BASE_URL ?? ''))?.hostname ?? '';
  const objects = config.durable_objects.bindings.map(({ class_name }) => class_name);
  const stored = config.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes);
  const flags = [...RUNTIME.compatibilityFlags, 'global_fetch_strictly_public'];
  const found = (what: string, isWell: boolean, advice: string): ConfigFinding => ({ what, isWell, advice });
  return [
    found(
      `compatibility date ${config.compatibility_date ?? ''}`,
      config.compatibility_date === RUNTIME.compatibilityDate,
      `the local stack is tried with ${RUNTIME.compatibilityDate}: use the same`,
    ),
    ...flags.map((flag) => found(`flag ${flag}`, config.compatibility_flags.includes(flag), 'add it')),
    found('cron every five minutes', config.triggers.crons?.includes('*/5 * * * *') === true, 'clips would not expire'),
    ...Object.entries(RUNTIME.durableObjects).map(([name, { className }]) =>
      found(`objects ${name}`, objects.includes(className) && stored.includes(className), 'bind and migrate the class'),
    ),
    found(
      'database DB',
      config.d1_databases.some(({ binding, database_id: id }) => binding === 'DB' && id),
      'it is not made yet: npm run setup, or npm run deploy, does so',
    ),
    ...Object.keys(RUNTIME.r2Buckets).map((name) =>
      found(
        `bucket ${name}`,
        config.r2_buckets.some(({ binding }) => binding === name),
        'bind the bucket',
      ),
    ),
    found(
      'no secret in the configuration',
      SECRETS.every((name) => !(name in vars)),
      `it would be in each copy of the file: npm run deploy -- --secret ${SECRETS.find((name) => name in vars)}`,
    ),
    found(
      'one jurisdiction for objects and buckets',
      config.r2_buckets.every(({ jurisdiction = null }) => jurisdiction === (vars.JURISDICTION ?? null)),
      'JURISDICTION and the jurisdiction of each bucket must be the same, and that of the database too',
    ),
    found(
      'no log line for each invocation',
      config.observability?.logs?.invocation_logs === false,
      'it is most of the bill',
    ),
    found(
      'a log line for few requests',
      Number(vars.LOG_SAMPLE ?? 0) <= 0.1,
      'LOG_SAMPLE writes more than one line of ten requests: that is most of the bill',
    ),
    found(
      'a limit of CPU time',
      (config.limits?.cpu_ms ?? Infinity) <= MOST_CPU_MS,
      `set limits.cpu_ms, to ${MOST_CPU_MS} at most: an endless loop is billed for that much`,
    ),
    found(
      `${LEAST_SUBREQUESTS} subrequests`,
      (config.limits?.subrequests ?? 0) >= LEAST_SUBREQUESTS,
      'set limits.subrequests: with fewer, the cron is cut short and clips expire later',
    ),
    found(
      'a purge for the media host',
      vars.MEDIA_BASE_URL === undefined || vars.PURGE_ZONE_ID !== undefined,
      'set PURGE_ZONE_ID and PURGE_TOKEN: without them, caches serve deleted clips for minutes (docs/viewing.md)',
    ),
    found(`address ${vars.BASE_URL}`, fault === null, `it ${fault}: npm run setup sets it`),
    found('a domain of its own', !host.endsWith('.workers.dev'), 'there is no cache on workers.dev: docs/deploy.md'),
    {
      what: 'a link for reports',
      isWell: vars.ABUSE_URL !== undefined,
      advice: 'set ABUSE_URL: without it, viewers cannot report a clip',
      isMinor: true,
    },
  ];
}

/**
 * Returns a finding for each variable that is wrong. That for a missing secret has the command that sets it. `secrets`:
 * the names of those that are set, if they are known.
 */
export function checkSettings(...[vars, secrets]: Parameters<typeof checkVariables>): ConfigFinding[] {
  return checkVariables(vars, secrets).map(({ variable, problem, isMissing }) => {
    const isSecret = SECRETS.some((name) => name === variable);
    const how = isMissing && isSecret ? `: npm run deploy -- --secret ${variable}` : '';
    return { what: `variable ${variable}`, isWell: false, advice: problem + how };
  });
}
