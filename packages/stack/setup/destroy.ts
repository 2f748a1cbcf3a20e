import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT_ROOT } from '../project-root.ts';
import { type CloudflareAccount, openAccount } from './cloudflare.ts';
import {
  type Changes,
  changesFile,
  configOf,
  KnownSecrets,
  readChanges,
  readFileOf,
  secretsFile,
  type Whole,
  wranglerFile,
  writeConfig,
  writeFileOf,
} from './deployment.ts';
import { type Existing, findExisting } from './ownership.ts';
import { createWrangler } from './wrangler.ts';

export interface DestroyOptions {
  readonly env: string;
  /** Lists what would be removed, and removes nothing. */
  readonly isDry: boolean;
  readonly say: (line: string) => void;
  /** Returns the name that was typed to confirm. */
  readonly confirm: () => Promise<string>;
  /** Removes the buckets too, with all files in them. */
  readonly buckets: boolean;
  /** Removes what has the names of the deployment also if its file has no database's id, or a wrong one. */
  readonly adopt: boolean;
  /** The folder of the deployment's files; default: the checkout. */
  readonly folder?: string | undefined;
}

const Domains = z.array(z.looseObject({ id: z.string(), hostname: z.string() }));
const Counts = z.array(
  z.looseObject({ results: z.array(z.object({ accounts: z.number(), jobs: z.number(), clips: z.number() })) }),
);
const COUNT = `SELECT (SELECT COUNT(*) FROM accounts) AS accounts, (SELECT COUNT(*) FROM jobs) AS jobs,
  (SELECT COUNT(*) FROM clips WHERE state = 'ready') AS clips`;
/** "The bucket you tried to delete is not empty": https://developers.cloudflare.com/r2/api/error-codes/ */
const NOT_EMPTY = /\[code: 10008\]/;
const A_DAY = { condition: { type: 'Age', maxAge: 24 * 60 * 60 } };
/** Empties a bucket of any size: https://developers.cloudflare.com/r2/buckets/delete-buckets/ */
const EXPIRE_ALL = {
  rules: [
    {
      id: 'tickreel: remove all files',
      enabled: true,
      conditions: { prefix: '' },
      deleteObjectsTransition: A_DAY,
      abortMultipartUploadsTransition: A_DAY,
    },
  ],
};

/**
 * Removes a deployment from Cloudflare: its Worker with secrets and objects, its domains, its database, and its buckets
 * if asked. The database is last, because its id identifies the account. Can be interrupted and run again. Rejects with
 * an Error if the name is not confirmed, or if a part cannot be removed.
 */
export async function destroy(options: DestroyOptions): Promise<void> {
  const { env, isDry, say, folder = PROJECT_ROOT } = options;
  const changes = readChanges(env, folder);
  if (changes === null) throw new Error(`There is no ${join(folder, changesFile(env))}, which names what to remove.`);
  const { config, file } = writeConfig(env, folder, changes);
  const { database_id: id, ...named } = config.d1_databases[0];
  if (id === undefined && !options.adopt) {
    throw new Error(
      `${changesFile(env)} has no database_id, so these may be parts of others. Remove them with --adopt`,
    );
  }
  const account = await openAccount(createWrangler(file), config.account_id);
  const known: Whole = options.adopt ? { ...config, d1_databases: [named] } : config;
  const existing = await findExisting(account, known);
  const domains = await account.call(Domains, 'GET', `/workers/domains?service=${config.name}`);
  const { buckets, databaseId, hasWorker } = existing;
  const names = domains.map(({ hostname }) => hostname).join(', ');
  if (hasWorker) say(`Worker ${config.name}, its secrets and the objects of its jobs: ${ends(isDry)}`);
  if (domains.length > 0) say(`domain ${names}: ${ends(isDry)}`);
  if (databaseId) say(`database ${named.database_name} (${await contentOf(account, databaseId)}): ${ends(isDry)}`);
  for (const name of buckets) say(`bucket ${name}: ${options.buckets ? ends(isDry) : 'is kept, with its files'}`);
  if (isDry) return;
  if ((await options.confirm()) !== config.name) throw new Error(`Nothing is removed: the name is ${config.name}.`);
  if (hasWorker) await removeWorker(account, config.name, (path) => account.call(z.unknown(), 'DELETE', path));
  if (options.buckets) await removeBuckets(account, config, buckets);
  if (databaseId) await account.call(z.unknown(), 'DELETE', `/d1/database/${databaseId}`);
  await forget(env, folder, changes, options.buckets || buckets.length === 0);
  say(`${config.name} is removed${options.buckets ? '' : '; npm run setup -- --adopt would use its buckets again'}`);
}

const ends = (isDry: boolean) => (isDry ? 'would be removed' : 'will be removed');

async function contentOf(account: CloudflareAccount, databaseId: string): Promise<string> {
  const query = account.call(Counts, 'POST', `/d1/database/${databaseId}/query`, { body: { sql: COUNT } });
  const [answer] = await query.catch(() => []);
  const [row] = answer?.results ?? [];
  return row ? `accounts: ${row.accounts}, jobs: ${row.jobs}, clips: ${row.clips}` : 'without tables';
}

/** Removes a Worker with its domains, secrets and objects. */
export async function removeWorker(
  account: CloudflareAccount,
  name: string,
  remove: (path: string) => Promise<unknown>,
): Promise<void> {
  const domains = await account.call(Domains, 'GET', `/workers/domains?service=${name}`);
  for (const { id } of domains) await remove(`/workers/domains/${id}`);
  await remove(`/workers/scripts/${name}?force=true`);
}

/** Rejects with an Error if a bucket has files. Then R2 deletes them within about two days. */
async function removeBuckets(account: CloudflareAccount, config: Whole, names: Existing['buckets']): Promise<void> {
  const { JURISDICTION: jurisdiction } = config.vars;
  const full: string[] = [];
  for (const name of names) {
    try {
      await account.call(z.unknown(), 'DELETE', `/r2/buckets/${name}`, { jurisdiction });
    } catch (error) {
      if (!NOT_EMPTY.test(String(error))) throw error;
      await account.call(z.unknown(), 'PUT', `/r2/buckets/${name}/lifecycle`, { jurisdiction, body: EXPIRE_ALL });
      full.push(name);
    }
  }
  if (full.length === 0) return;
  throw new Error(
    `${full.join(' and ')} had files. R2 deletes them now, which takes about two days. Run this again then; the database is kept until then.`,
  );
}

/** Removes what setup wrote of the deployment, so that setup can begin anew. The operator's settings are kept. */
async function forget(env: string, folder: string, changes: Changes, isAll: boolean): Promise<void> {
  const { binding, database_name } = configOf(changes).d1_databases[0];
  writeFileOf(join(folder, changesFile(env)), { ...changes, d1_databases: [{ binding, database_name }] });
  await rm(join(folder, wranglerFile(env)), { force: true });
  const file = join(folder, secretsFile(env));
  const secrets = readFileOf(file, KnownSecrets);
  if (isAll) await rm(file, { force: true });
  // Kept with the buckets: without CLIP_ID_SECRET, their clips could not be found.
  else if (secrets) writeFileOf(file, { ...secrets, account_id: undefined, host_id: undefined, isShown: false });
}
