import * as z from 'zod';
import type { CloudflareAccount } from './cloudflare.ts';
import type { Whole } from './deployment.ts';

const Database = z.looseObject({ name: z.string(), uuid: z.string(), jurisdiction: z.string().nullish() });
const Bucket = z.looseObject({ name: z.string() });
const Subdomain = z.looseObject({ subdomain: z.string() });
const Domain = z.looseObject({ id: z.string(), hostname: z.string(), service: z.string() });
/** wrangler 4.116.0, packages/deploy-helpers/src/triggers/publish-routes.ts, CustomDomainChangeset. */
const Changeset = z.looseObject({
  removed: z.array(z.looseObject({ hostname: z.string() })).default([]),
  updated: z.array(Domain.extend({ modified: z.boolean() })).default([]),
  conflicting: z.array(z.looseObject({ hostname: z.string() })).default([]),
});
const CustomDomain = z.looseObject({ pattern: z.string(), custom_domain: z.literal(true) });

/** The parts of a deployment that the account has, found by the names in the configuration. */
export interface Existing {
  readonly databaseId: string | null;
  readonly buckets: readonly string[];
  readonly hasWorker: boolean;
}

/**
 * Returns which parts of a deployment exist. Rejects with an Error if the account does not have the configured
 * database, or has it in another jurisdiction.
 */
export async function findExisting(account: CloudflareAccount, config: Whole): Promise<Existing> {
  const { database_name: name, database_id: id } = config.d1_databases[0];
  const { JURISDICTION: jurisdiction } = config.vars;
  const [database, scripts, ...buckets] = await Promise.all([
    // By its name as wrangler does: packages/wrangler/src/d1/utils.ts, getDatabaseByNameOrBinding.
    account.find(Database, `/d1/database/${id ?? name}`),
    account.call(z.array(z.looseObject({ id: z.string() })), 'GET', '/workers/scripts'),
    ...config.r2_buckets.map(({ bucket_name }) => account.find(Bucket, `/r2/buckets/${bucket_name}`, { jurisdiction })),
  ]);
  if (id !== undefined && database === null) {
    throw new Error(`${name} has the id ${id}, which this Cloudflare account does not have`);
  }
  // Such as a file that was copied for staging.
  if (database && database.name !== name) {
    throw new Error(`database_id ${id} is the database ${database.name}, and database_name is ${name}`);
  }
  if (database && (database.jurisdiction ?? '') !== (jurisdiction ?? '')) {
    const [where, wanted] = [database.jurisdiction ?? 'no jurisdiction', jurisdiction ?? 'none'];
    throw new Error(`the database ${name} is in ${where}, and JURISDICTION is ${wanted}: it cannot be moved`);
  }
  return {
    databaseId: database?.uuid ?? null,
    buckets: buckets.flatMap((bucket) => (bucket === null ? [] : [bucket.name])),
    hasWorker: scripts.some((script) => script.id === config.name),
  };
}

/** Throws an Error if parts exist before the first run, because somebody else may have made them. */
export function refuseForeign({ databaseId, buckets, hasWorker }: Existing, config: Whole): void {
  const parts = [
    ...(databaseId === null ? [] : [`a database ${config.d1_databases[0].database_name}`]),
    ...buckets.map((name) => `a bucket ${name}`),
    ...(hasWorker ? [`a Worker ${config.name}`] : []),
  ];
  if (parts.length === 0) return;
  throw new Error(`this account already has ${parts.join(', ')}. Choose another name, or use them with --adopt`);
}

/**
 * Checks that the address of a deployment is free. Rejects with an Error if it belongs to another Worker, has DNS
 * records, or is another name on workers.dev than this Worker's. Returns whether to check custom domains again after
 * the upload: Cloudflare compares DNS records only for a Worker that exists.
 */
export async function checkAddress(
  account: CloudflareAccount,
  config: Whole,
  { hasWorker, takeOver, say }: { hasWorker: boolean; takeOver?: boolean; say: (line: string) => void },
): Promise<boolean> {
  if (config.workers_dev === true) await checkSubdomain(account, config);
  const domains = (config.routes ?? []).flatMap((route) => CustomDomain.safeParse(route).data ?? []);
  if (domains.length === 0) return false;
  const changes: z.infer<typeof Changeset> = hasWorker
    ? await account.call(Changeset, 'POST', `/workers/scripts/${config.name}/domains/changeset?replace_state=true`, {
        body: domains.map(({ pattern, custom_domain: _, ...rest }) => ({ hostname: pattern, ...rest })),
      })
    : { removed: [], updated: await foreignDomains(account, domains), conflicting: [] };
  for (const { hostname } of changes.removed) say(`domain ${hostname}: no longer leads to this Worker`);
  const taken = [
    ...changes.updated.flatMap(({ hostname, service, modified }) =>
      modified ? [`${hostname} is the domain of the Worker ${service}`] : [],
    ),
    ...changes.conflicting.map(({ hostname }) => `${hostname} has DNS records of something else`),
  ];
  if (taken.length === 0) return !hasWorker;
  if (!takeOver) throw new Error(`${taken.join('; ')}. Choose another address, or replace these with --take-over`);
  for (const reason of taken) say(`taken over: ${reason}`);
  return !hasWorker;
}

async function checkSubdomain(account: CloudflareAccount, { name, vars: { BASE_URL } }: Whole): Promise<void> {
  const found = await account.find(Subdomain, '/workers/subdomain');
  if (found === null) {
    const page = `https://dash.cloudflare.com/${account.id}/workers/onboarding`;
    throw new Error(`the account has no name on workers.dev yet: choose one at ${page}`);
  }
  const own = `${name}.${found.subdomain}.workers.dev`;
  if (new URL(BASE_URL).hostname !== own)
    throw new Error(`BASE_URL is ${BASE_URL}, but the Worker gets https://${own}`);
}

/** Returns the domains of other Workers at these names: all that can be checked before the Worker exists. */
async function foreignDomains(account: CloudflareAccount, domains: readonly { readonly pattern: string }[]) {
  const of = ({ pattern }: { readonly pattern: string }) =>
    account.call(z.array(Domain), 'GET', `/workers/domains?hostname=${pattern}`);
  return (await Promise.all(domains.map(of))).flat().map((domain) => ({ ...domain, modified: true }));
}
