import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import * as z from 'zod';
import { PROJECT_ROOT } from '../project-root.ts';

const Named = z.looseObject({ binding: z.string() });
const DatabaseBinding = Named.extend({ database_name: z.string().optional(), database_id: z.string().optional() });
const BucketBinding = Named.extend({ bucket_name: z.string().optional() });

/**
 * How a deployment differs from `wrangler.toml`, with the same keys: its name, variables, database, routes. Its file
 * is ignored by git and may be edited.
 */
const Changes = z.looseObject({
  name: z.string().optional(),
  vars: z.record(z.string(), z.string()).optional(),
  d1_databases: z.tuple([DatabaseBinding]).optional(),
  r2_buckets: z.array(BucketBinding).optional(),
});
export type Changes = z.infer<typeof Changes>;

/** The content of a deployment's file of secrets. */
export const KnownSecrets = z.object({
  ADMIN_TOKEN: z.string().min(32),
  CLIP_ID_SECRET: z.string().min(32),
  METRICS_TOKEN: z.string().min(16),
  /** The account and the host that setup made, and whether their keys were shown. */
  account_id: z.string().optional(),
  host_id: z.string().optional(),
  isShown: z.boolean().default(false),
});
export type KnownSecrets = z.infer<typeof KnownSecrets>;

/** The configuration for wrangler: `wrangler.toml` with the changes of a deployment. */
const Whole = z.looseObject({
  name: z.string(),
  main: z.string(),
  assets: z.looseObject({ directory: z.string() }),
  account_id: z.string().optional(),
  workers_dev: z.boolean().optional(),
  vars: z.looseObject({
    BASE_URL: z.string(),
    JURISDICTION: z.string().optional(),
    LOCATION_HINT: z.string().optional(),
  }),
  routes: z.array(z.unknown()).optional(),
  d1_databases: z.tuple([DatabaseBinding.extend({ database_name: z.string() })]),
  r2_buckets: z.array(BucketBinding.extend({ bucket_name: z.string() })),
});
export type Whole = z.infer<typeof Whole>;

/** The id in `wrangler.toml` before there is a database. */
export const NO_DATABASE = '00000000-0000-0000-0000-000000000000';

/** The default deployment. */
export const PRODUCTION = 'production';

const EXAMPLE = /(^|\.)example(\.(com|net|org))?$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns why a text cannot be a service's address, as in "is only an example"; null if it can. */
export function addressFault(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.host === '') return 'is not an address such as https://clips.your-domain.dev';
  if (EXAMPLE.test(url.hostname)) return 'is only an example: use an address of your own';
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return 'must have no path, query or fragment';
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSafe ? null : 'must begin with https://';
}

/** The option of each command that reads these files. */
export const FOLDER_OPTION = [
  '--folder <dir>',
  "the folder of the deployment's files; default: this checkout",
] as const;

export const changesFile = (env: string): string => `deployment.${env}.json`;
export const secretsFile = (env: string): string => `deployment.${env}.secrets.json`;
/** Written by each deploy. `npx wrangler tail -c` and other commands take it. */
export const wranglerFile = (env: string): string => `wrangler.${env}.json`;

/** Reads a deployment's file; null if it is missing. Throws an Error that names the file if it is invalid. */
export function readChanges(env: string, folder: string = PROJECT_ROOT): Changes | null {
  return readFileOf(join(folder, changesFile(env)), Changes);
}

export function readFileOf<T>(path: string, shape: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${path} cannot be read: ${reason}`);
  }
}

const IGNORED = ['deployment.*.secrets.json', 'wrangler.*.json', '*.new'];

/** Keeps secrets and generated files out of a repository that has the deployment's file. */
export function ignoreSecrets(folder: string): void {
  // The checkout has its own.
  if (resolve(folder) === resolve(PROJECT_ROOT)) return;
  const file = join(folder, '.gitignore');
  mkdirSync(folder, { recursive: true });
  const there = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const missing = IGNORED.filter((line) => !there.includes(line));
  if (missing.length > 0) appendFileSync(file, `${there.at(-1) ? '\n' : ''}${missing.join('\n')}\n`);
}

/** Writes a temporary file and renames it. Only the owner can read it. */
export function writeFileOf(path: string, content: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Returns the changes of a new deployment: its names, its address, and the ids of its rate limits. */
export function changesFor(env: string, name: string, vars: Readonly<Record<string, string>>): Changes {
  return {
    name,
    vars: { ...vars },
    d1_databases: [{ binding: 'DB', database_name: name }],
    r2_buckets: [
      { binding: 'CLIPS', bucket_name: `${name}-clips` },
      { binding: 'ASSETS', bucket_name: `${name}-assets` },
    ],
    ...(env === PRODUCTION ? {} : { ratelimits: ownRates(name) }),
  };
}

/** Rate limits are counted by these numbers in the whole Cloudflare account, so production's differ from staging's. */
function ownRates(name: string): object[] {
  const first = 10_000 + (createHash('sha256').update(name).digest().readUInt32BE() % 1_000_000_000);
  return ['SUBMIT_RATE', 'GUESS_RATE'].map((rate, i) => ({ name: rate, namespace_id: String(first + i) }));
}

/**
 * Returns the configuration of a deployment for a file in `folder`: `wrangler.toml` with its changes. Without a route
 * in the changes, its address becomes the Worker's domain, or its name on workers.dev, which is disabled otherwise.
 */
export function configOf(changes: Changes, folder: string = PROJECT_ROOT): Whole {
  const { rawConfig } = readRawConfig({ config: join(PROJECT_ROOT, 'wrangler.toml') });
  const whole = Whole.parse(mergedInto(rawConfig, changes));
  const { hostname } = new URL(whole.vars.BASE_URL);
  const isOnWorkersDev = hostname.endsWith('.workers.dev');
  const hasDomain = !isOnWorkersDev && !LOOPBACK.has(hostname);
  const { JURISDICTION: jurisdiction } = whole.vars;
  const { database_id: id, ...database } = whole.d1_databases[0];
  const pathTo = (path: string) => relative(folder, join(PROJECT_ROOT, path));
  return {
    ...whole,
    main: pathTo(whole.main),
    assets: { ...whole.assets, directory: pathTo(whole.assets.directory) },
    workers_dev: isOnWorkersDev,
    ...(hasDomain && whole.routes === undefined ? { routes: [{ pattern: hostname, custom_domain: true }] } : {}),
    d1_databases: [
      {
        ...database,
        migrations_dir: pathTo('migrations'),
        ...(id === undefined || id === NO_DATABASE ? {} : { database_id: id }),
      },
    ],
    r2_buckets: whole.r2_buckets.map((bucket) => ({ ...bucket, ...(jurisdiction ? { jurisdiction } : {}) })),
  };
}

/** Writes the configuration for wrangler and returns its path. Without `changes`, uses the deployment's file. */
export function writeConfig(
  env: string,
  folder: string = PROJECT_ROOT,
  changes: Changes = readChanges(env, folder) ?? {},
): { readonly file: string; readonly config: Whole } {
  const [file, config] = [join(folder, wranglerFile(env)), configOf(changes, folder)];
  writeFileOf(file, config);
  return { file, config };
}

/** Merges objects, and entries of lists by their binding or name. Replaces everything else. */
function mergedInto(base: unknown, change: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(change)) {
    const keyOf = (entry: unknown) => Object(entry).binding ?? Object(entry).name;
    if (change.some((entry) => keyOf(entry) === undefined)) return change;
    const there = base.map((entry) => {
      const mine = change.find((other) => keyOf(other) === keyOf(entry));
      return mine === undefined ? entry : mergedInto(entry, mine);
    });
    const isNew = (entry: unknown) => base.every((other) => keyOf(other) !== keyOf(entry));
    return [...there, ...change.filter(isNew)];
  }
  if (!isRecord(base) || !isRecord(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [
    key,
    key in base ? mergedInto(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(merged) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
