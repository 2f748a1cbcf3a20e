import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { type CloudflareAccount, openAccount } from './cloudflare.ts';
import {
  addressFault,
  type Changes,
  changesFile,
  configOf,
  PRODUCTION,
  readChanges,
  type Whole,
  writeConfig,
  writeFileOf,
} from './deployment.ts';
import { checkAddress, findExisting, refuseForeign } from './ownership.ts';
import { createBucket, createDatabase } from './places.ts';
import { settingFaults } from './setting-faults.ts';
import { createWrangler, type Wrangler } from './wrangler.ts';

export interface DeployOptions {
  readonly env: string;
  /** Reports what would be done, without doing it. */
  readonly isDry: boolean;
  readonly say: (line: string) => void;
  /** Whether to show wrangler's output. */
  readonly isShown?: boolean;
  /** Uses an existing database, buckets and Worker of these names. Otherwise the first run rejects them. */
  readonly adopt?: boolean;
  /** Replaces another Worker's domain, or DNS records, at the address. Otherwise the deploy rejects them. */
  readonly takeOver?: boolean;
  /** Secrets to upload, if the Worker does not have them. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Secrets to upload in any case, from `--secret`. */
  readonly givenSecrets?: Readonly<Record<string, string>>;
  /** Used instead of the deployment's file. */
  readonly changes?: Changes;
  /** The folder of the deployment's files; default: the checkout. */
  readonly folder?: string | undefined;
}

const Secrets = z.array(z.looseObject({ name: z.string() }));

/**
 * Creates or updates a deployment: checks its settings, then creates a missing database and buckets, applies
 * migrations, and uploads the Worker. Can be interrupted and run again. Rejects with an Error that names the failed
 * step and the reason.
 */
export async function deploy(options: DeployOptions): Promise<Whole> {
  const { env, isDry, folder = PROJECT_ROOT } = options;
  const written = readChanges(env, folder);
  if (written === null && env !== PRODUCTION && !options.changes) {
    throw new Error(`There is no ${changesFile(env)}. Make it with: npm run setup -- --env ${env}`);
  }
  const changes = options.changes ?? written ?? {};
  const before = configOf(changes);
  const fault = addressFault(before.vars.BASE_URL);
  if (fault !== null) throw new Error(`BASE_URL ${before.vars.BASE_URL} ${fault}. Set it with: npm run setup`);
  const scratch = await mkdtemp(join(tmpdir(), 'tickreel-deploy-'));
  try {
    const place = isDry ? scratch : folder;
    const wrangler = createWrangler(writeConfig(env, place, changes).file);
    const account = await step('login', () => openAccount(wrangler, before.account_id));
    const set = await step('settings', () => checkSettings(wrangler, before, options));
    const existing = await step('account', () => findExisting(account, before));
    const isFirst = before.d1_databases[0].database_id === undefined;
    if (isFirst && !options.adopt) refuseForeign(existing, before);
    const address = (hasWorker: boolean) =>
      step('address', () => checkAddress(account, before, { ...options, hasWorker }));
    const isUnknown = await address(existing.hasWorker);
    const id = await step('database', () => makeDatabase(account, before, existing.databaseId, options));
    const made = withId(changes, id);
    const { config } = writeConfig(env, place, made);
    // A copy of this repository that edits wrangler.toml itself has no such file.
    if (written !== null && !isDry) writeFileOf(join(folder, changesFile(env)), made);
    await step('buckets', () => makeBuckets(account, config, existing.buckets, options));
    await step('migrations', () => migrate(wrangler, config, options));
    if (isUnknown && !isDry) {
      // First without its domain: without a terminal, wrangler would replace another Worker's domain or DNS records.
      const bare = createWrangler(writeConfig(env, scratch, { ...made, routes: [] }).file);
      await step('Worker', () => upload(bare, config, { ...options, scratch, set }));
      await address(true);
      await step('domain', () => wrangler[options.isShown ? 'show' : 'read']('triggers', 'deploy'));
    } else await step('Worker', () => upload(wrangler, config, { ...options, scratch, set }));
    if (!isDry) options.say(`Worker ${config.name}: is deployed to ${config.vars.BASE_URL}`);
    return config;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}: ${reasonOf(error)}`);
  }
}

/** Returns the id of the database. Creates a missing one; null in a dry run. */
async function makeDatabase(
  account: CloudflareAccount,
  config: Whole,
  existing: string | null,
  { isDry, say }: DeployOptions,
): Promise<string | null> {
  const { database_name: name } = config.d1_databases[0];
  say(`database ${name}: ${existing !== null ? 'is there' : isDry ? 'would be made' : 'is made'}`);
  return existing ?? (isDry ? null : createDatabase(account, name, config.vars));
}

function withId(changes: Changes, id: string | null): Changes {
  if (id === null) return changes;
  const { binding, database_name } = configOf(changes).d1_databases[0];
  return { ...changes, d1_databases: [{ ...changes.d1_databases?.[0], binding, database_name, database_id: id }] };
}

async function makeBuckets(
  account: CloudflareAccount,
  config: Whole,
  existing: readonly string[],
  { isDry, say }: DeployOptions,
): Promise<void> {
  for (const { bucket_name: name } of config.r2_buckets) {
    const isThere = existing.includes(name);
    if (!isThere && !isDry) await createBucket(account, name, config.vars);
    say(`bucket ${name}: ${isThere ? 'is there' : isDry ? 'would be made' : 'is made'}`);
  }
}

async function migrate(wrangler: Wrangler, config: Whole, { isDry, isShown, say }: DeployOptions): Promise<void> {
  const { binding, database_name } = config.d1_databases[0];
  if (!isDry) await wrangler[isShown ? 'show' : 'read']('d1', 'migrations', 'apply', binding, '--remote');
  say(`migrations of ${database_name}: ${isDry ? 'those that are missing would be applied' : 'are applied'}`);
}

async function upload(
  wrangler: Wrangler,
  config: Whole,
  options: DeployOptions & { readonly scratch: string; readonly set: readonly string[] },
): Promise<void> {
  const { isDry, isShown, say, secrets = {}, givenSecrets = {}, scratch, set } = options;
  const run = isShown ? wrangler.show : wrangler.read;
  // Only --secret replaces a secret that is set: with another CLIP_ID_SECRET, clips would not be found.
  const missing = Object.fromEntries(Object.entries(secrets).filter(([name]) => !set.includes(name)));
  const uploaded = { ...missing, ...givenSecrets };
  for (const name of Object.keys({ ...secrets, ...givenSecrets })) {
    say(`secret ${name}: ${name in uploaded ? (isDry ? 'would be set' : 'is uploaded with the Worker') : 'is there'}`);
  }
  if (isDry) {
    await run('deploy', '--dry-run');
    say(`Worker ${config.name}: would be deployed; it can be built`);
    return;
  }
  const file = join(scratch, 'secrets.json');
  await writeFile(file, JSON.stringify(uploaded), { mode: 0o600 });
  // The secrets and variables are in one version. Other secrets stay (wrangler 4.116.0, `keepSecrets`).
  await run('deploy', ...(Object.keys(uploaded).length > 0 ? ['--secrets-file', file] : []));
}

/** Returns the names of the secrets that are set. Rejects with an Error that names each wrong variable and secret. */
async function checkSettings(
  wrangler: Wrangler,
  config: Whole,
  { secrets = {}, givenSecrets = {} }: DeployOptions,
): Promise<string[]> {
  const listed = await wrangler.read('secret', 'list').catch((error: unknown) => {
    // There is no Worker yet.
    if (/not found/.test(reasonOf(error))) return '[]';
    throw error;
  });
  const set = Secrets.parse(JSON.parse(listed)).map(({ name }) => name);
  const doubled = Object.keys(givenSecrets).find((name) => name in config.vars);
  if (doubled) throw new Error(`${doubled} is in the variables of the configuration: remove it there`);
  if ('CLIP_ID_SECRET' in givenSecrets && set.includes('CLIP_ID_SECRET')) {
    throw new Error('CLIP_ID_SECRET is set and cannot be replaced: with another value, no clip would be found');
  }
  const faults = settingFaults({ ...config.vars, ...givenSecrets }, [...set, ...Object.keys(secrets)]);
  if (faults.length > 0) throw new Error(faults.map(({ variable, problem }) => `${variable} ${problem}`).join('\n  '));
  return set;
}
