import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { checkSettings } from './check-config.ts';
import { writeJson } from './data-lock.ts';
import { bucketsOf, type Changes, configOf, domainsOf, filesOf, readChanges, type Target } from './deployment.ts';
import { createWrangler } from './wrangler.ts';

export interface DeployOptions extends Target {
  /** Reports what would be done, without doing it. */
  readonly dryRun: boolean;
  /** Uses a database, buckets and a Worker of these names that the deployment's file does not know. */
  readonly adopt: boolean;
  /** Replaces another Worker's domain, or DNS records, at the address. Otherwise Cloudflare refuses. */
  readonly takeOver: boolean;
  readonly say: (line: string) => void;
  /** Secrets to upload, if the Worker does not have them. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Secrets to upload in any case, from `--secret`. */
  readonly givenSecrets?: Readonly<Record<string, string>>;
  /** Used instead of the deployment's file. */
  readonly changes?: Changes;
}

/**
 * Creates or updates a deployment: checks its settings, then creates what its file does not know, applies migrations,
 * and uploads the Worker. Can be interrupted and run again. Rejects with an Error that names the failed command.
 */
export async function deploy(options: DeployOptions): Promise<void> {
  const { dryRun, say, adopt, secrets = {}, givenSecrets = {}, changes = readChanges(options) } = options;
  const config = configOf(changes);
  const scratch = await mkdtemp(join(tmpdir(), 'tickreel-deploy-'));
  try {
    const file = dryRun ? join(scratch, 'wrangler.json') : filesOf(options).wrangler;
    const { wrangler, call, databaseId, secrets: set } = await openAccount(file, config);
    if ('CLIP_ID_SECRET' in givenSecrets && set?.includes('CLIP_ID_SECRET')) {
      throw new Error('CLIP_ID_SECRET is set and cannot be replaced: with another value, no clip would be found');
    }
    requireSettings({ ...config.vars, ...givenSecrets }, [...(set ?? []), ...Object.keys(secrets)]);
    const [database] = changes.d1_databases;
    // Somebody else may have made it.
    if (database.database_id === undefined && !adopt && (databaseId !== undefined || set !== null)) {
      const what = databaseId === undefined ? `Worker ${changes.name}` : `database ${database.database_name}`;
      throw new Error(`this account already has a ${what}. Choose another name, or use it with --adopt`);
    }
    if (config.workers_dev) {
      const { subdomain } = await call(z.looseObject({ subdomain: z.string() }), 'GET', '/workers/subdomain');
      const own = `https://${changes.name}.${subdomain}.workers.dev`;
      if (config.vars.BASE_URL !== own) throw new Error(`The Worker gets ${own}, and not ${config.vars.BASE_URL}.`);
    }
    const run = async (...args: readonly string[]) => {
      say(`${dryRun ? 'would run' : 'runs'}: wrangler ${args.join(' ')}`);
      const printed = dryRun ? '' : await wrangler.read(...args);
      say(printed);
      return printed;
    };
    let made = changes;
    const keep = (more: Partial<Changes>) => {
      made = { ...made, ...more };
      if (!dryRun) writeJson(filesOf(options).changes, made);
    };
    for (const bucket of bucketsOf(changes.name)) {
      if (changes.r2_buckets.some((one) => one.binding === bucket.binding)) continue;
      await run('r2', 'bucket', 'create', bucket.bucket_name, ...placeOf(config.vars)).catch((error: unknown) => {
        // It exists: https://developers.cloudflare.com/r2/api/error-codes/
        if (!adopt || !reasonOf(error).includes('[code: 10004]')) throw error;
      });
      keep({ r2_buckets: [...made.r2_buckets, bucket] });
    }
    const printed = databaseId ?? (await run('d1', 'create', database.database_name, ...placeOf(config.vars)));
    const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(printed) ?? [];
    keep({ d1_databases: [{ ...database, database_id: id }] });
    writeJson(file, configOf(made));
    await run('d1', 'migrations', 'apply', 'DB', '--remote');
    // Only --secret replaces a secret that is set: with another CLIP_ID_SECRET, clips would not be found.
    const missing = Object.entries(secrets).filter(([secret]) => !set?.includes(secret));
    const uploaded = { ...Object.fromEntries(missing), ...givenSecrets };
    say(`secrets to upload: ${Object.keys(uploaded).join(', ') || 'none'}`);
    // Before the upload, since it may be refused. But a Worker that does not exist cannot have a domain.
    if (set !== null) await publishDomains(call, changes, options);
    // In one version with the variables. Other secrets stay (wrangler 4.116.0, `keepSecrets`).
    await run('deploy', '--secrets-file', writeJson(join(scratch, 'secrets.json'), uploaded));
    if (set === null) await publishDomains(call, changes, options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type Call = <T>(shape: z.ZodType<T>, method: string, path: string, body?: object) => Promise<T>;
const Login = z.looseObject({ accounts: z.array(z.looseObject({ id: z.string() })) });
const Token = z.looseObject({ token: z.string() });
const Databases = z.array(z.looseObject({ name: z.string(), uuid: z.string(), jurisdiction: z.string().nullish() }));
const Domains = z.array(z.looseObject({ id: z.string(), hostname: z.string() }));

/**
 * Checks wrangler's login, and finds the database and the secrets of a deployment, null without a Worker. `call` is for
 * what wrangler has no command for: the addresses of Workers. Rejects with an Error if it is not the right account.
 */
async function openAccount(file: string, config: Changes) {
  const { CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_BASE_URL = 'https://api.cloudflare.com/client/v4' } = process.env;
  const wrangler = createWrangler(writeJson(file, config));
  const { token } = await wrangler.json(Token, 'auth', 'token', '--json');
  // A token that may only deploy may not read accounts.
  const known = config.account_id ?? CLOUDFLARE_ACCOUNT_ID;
  const accounts = known ? [{ id: known }] : (await wrangler.json(Login, 'whoami', '--json')).accounts;
  if (accounts.length !== 1) throw new Error(`the login has ${accounts.length} accounts: set CLOUDFLARE_ACCOUNT_ID`);
  const call: Call = async (shape, method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const url = `${CLOUDFLARE_API_BASE_URL}/accounts/${accounts[0]?.id}${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered with ${response.status}: ${text}`);
    return shape.parse(JSON.parse(text).result);
  };
  const [{ database_name: name, database_id: id }] = config.d1_databases;
  const all = await wrangler.json(Databases, 'd1', 'list', '--json');
  const database = all.find((one) => (id === undefined ? one.name === name : one.uuid === id));
  if (id !== undefined && database?.name !== name) throw new Error(`this account has no database ${name} of id ${id}`);
  const jurisdiction = database?.jurisdiction ?? undefined;
  if (database && jurisdiction !== config.vars.JURISDICTION) {
    throw new Error(`the jurisdiction of the database ${name} is ${jurisdiction ?? 'none'}, and cannot be changed`);
  }
  const secrets = await wrangler.secrets().catch((error: unknown) => {
    if (reasonOf(error).includes('not found')) return null;
    throw error;
  });
  return { wrangler, call, databaseId: database?.uuid, secrets };
}

/** Returns options of wrangler. Within a jurisdiction, Cloudflare chooses the region. */
function placeOf({ JURISDICTION, LOCATION_HINT }: Changes['vars']): string[] {
  if (JURISDICTION) return ['--jurisdiction', JURISDICTION];
  return LOCATION_HINT ? ['--location', LOCATION_HINT] : [];
}

/** Throws an Error that names each wrong variable and, if they are known, each wrong or missing secret. */
export function requireSettings(...settings: Parameters<typeof checkSettings>): void {
  const faults = checkSettings(...settings).map(({ what, advice }) => `${what} ${advice}`);
  if (faults.length > 0) throw new Error(`settings: ${faults.join('\n  ')}`);
}

/**
 * Gives the Worker its domains as wrangler 4.116.0 does (packages/deploy-helpers/src/triggers/publish-routes.ts). But
 * without a terminal, wrangler replaces another Worker's domain and DNS records without asking.
 */
async function publishDomains(call: Call, changes: Changes, { takeOver, dryRun, say }: DeployOptions) {
  const origins = domainsOf(changes);
  if (origins.length === 0) return;
  say(`${dryRun ? 'would publish' : 'publishes'} ${origins.map(({ hostname }) => hostname).join(', ')}`);
  if (dryRun) return;
  const overrides = { override_existing_origin: takeOver, override_existing_dns_record: takeOver };
  const body = { origins, override_scope: true, ...overrides };
  await call(z.unknown(), 'PUT', `/workers/scripts/${changes.name}/domains/records`, body).catch((error: unknown) => {
    throw new Error(`${reasonOf(error)}\nIf something else uses it, choose another address or use --take-over`);
  });
}

export interface DestroyOptions extends Omit<DeployOptions, 'takeOver'> {
  /** Returns the name that was typed to confirm. */
  readonly confirm: () => Promise<string>;
  /** Removes the buckets too. They have to be empty. */
  readonly withBuckets: boolean;
}

/**
 * Removes a deployment from Cloudflare: its Worker with secrets and objects, its domains, its buckets if asked, and its
 * database, which is last because its id identifies the account. Can be interrupted and run again. Rejects with an
 * Error if the name is not confirmed, or if a part cannot be removed.
 */
export async function destroy(options: DestroyOptions): Promise<void> {
  const { dryRun, say, adopt, withBuckets } = options;
  const files = filesOf(options);
  const changes = readChanges(options);
  const { name, r2_buckets } = changes;
  const { database_id: id, ...database } = changes.d1_databases[0];
  if (id === undefined && !adopt) {
    throw new Error(`${files.changes} has no database_id, so these may be parts of others. Remove them with --adopt`);
  }
  const anew: Changes = { ...changes, d1_databases: [database], r2_buckets: withBuckets ? [] : r2_buckets };
  const config = configOf(adopt ? anew : changes);
  const { wrangler, call, databaseId, secrets } = await openAccount(files.wrangler, config);
  const domains = await call(Domains, 'GET', `/workers/domains?service=${name}`);
  const place = config.vars.JURISDICTION ? placeOf(config.vars) : [];
  const buckets = withBuckets ? (adopt ? bucketsOf(name) : r2_buckets) : [];
  const commands = buckets.map((bucket) => ['r2', 'bucket', 'delete', bucket.bucket_name, ...place]);
  if (secrets !== null) commands.unshift(['delete', '--force']);
  if (databaseId !== undefined) commands.push(['d1', 'delete', 'DB', '--skip-confirmation']);
  const will = dryRun ? 'would' : 'will';
  for (const { hostname } of domains) say(`${will} remove the domain ${hostname}`);
  for (const command of commands) say(`${will} run: wrangler ${command.join(' ')}`);
  if (dryRun) return;
  if ((await options.confirm()) !== name) throw new Error(`Nothing is removed: the name is ${name}.`);
  for (const domain of domains) await call(z.unknown(), 'DELETE', `/workers/domains/${domain.id}`);
  for (const command of commands) {
    await wrangler.read(...command).catch((error: unknown) => {
      // An earlier run removed the bucket: https://developers.cloudflare.com/r2/api/error-codes/
      if (!reasonOf(error).includes('[code: 10006]')) throw error;
    });
  }
  // Setup can begin anew, with the operator's settings.
  writeJson(files.changes, anew);
  await rm(files.wrangler, { force: true });
  // Kept with the buckets: without CLIP_ID_SECRET, their clips could not be found.
  if (withBuckets) await rm(files.secrets, { force: true });
  say(`${name} is removed${withBuckets ? '' : '; npm run setup would use its buckets again'}`);
}
