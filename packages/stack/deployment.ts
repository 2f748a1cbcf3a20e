import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import * as z from 'zod';
import { readJsonFile } from './data-lock.ts';
import { PROJECT_ROOT } from './migrate.ts';
import { addressFault, LOOPBACK } from './public-variables.ts';

const Database = z.looseObject({ binding: z.string(), database_name: z.string(), database_id: z.string().optional() });
/**
 * How a deployment differs from `wrangler.toml`, with the same keys. Variables are added to those there; any other key
 * replaces the one there. Git ignores its file, which may be edited. Buckets and a database's id in it are its own.
 */
export const Changes = z.looseObject({
  name: z.string(),
  vars: z.object({ BASE_URL: z.string() }).catchall(z.string()),
  d1_databases: z.tuple([Database]),
  r2_buckets: z.array(z.looseObject({ binding: z.string(), bucket_name: z.string() })),
  routes: z.array(z.unknown()).default([]),
  account_id: z.string().optional(),
});
export type Changes = z.infer<typeof Changes>;

/** Which deployment; `folder` has its files, by default the checkout. */
export interface Target {
  readonly env: string;
  readonly folder?: string | undefined;
}

/** Returns the paths of a deployment's files. The one for wrangler is written by each command. */
export function filesOf({ env, folder = PROJECT_ROOT }: Target): Record<'changes' | 'secrets' | 'wrangler', string> {
  const changes = join(folder, `deployment.${env}.json`);
  const secrets = join(folder, `deployment.${env}.secrets.json`);
  return { changes, secrets, wrangler: join(folder, `wrangler.${env}.json`) };
}

/** Reads a deployment's changes. Throws an Error if there are none. */
export function readChanges(deployment: Target): Changes {
  const path = filesOf(deployment).changes;
  const changes = readJsonFile(path, Changes);
  if (changes) return changes;
  throw new Error(`There is no ${path}. Make it with: npm run setup -- --env ${deployment.env}`);
}

export const bucketsOf = (name: string): Changes['r2_buckets'] =>
  ['CLIPS', 'ASSETS'].map((binding) => ({ binding, bucket_name: `${name}-${binding.toLowerCase()}` }));

/** Returns the changes of a new deployment: a name and variables. Deploy adds what it has made. */
export function changesFor(name: string, vars: Changes['vars']): Changes {
  return { name, vars, d1_databases: [{ binding: 'DB', database_name: name }], r2_buckets: [], routes: [] };
}

/** Returns the configuration for wrangler, without domains of the Worker's own. Throws an Error for a wrong address. */
export function configOf(changes: Changes): Changes & { readonly workers_dev: boolean } {
  const { rawConfig: raw } = readRawConfig({ config: join(PROJECT_ROOT, 'wrangler.toml') });
  const vars = Changes.shape.vars.parse({ ...raw.vars, ...changes.vars });
  const fault = addressFault(vars.BASE_URL);
  if (fault !== null) throw new Error(`The address ${JSON.stringify(vars.BASE_URL)} ${fault}.`);
  // Cloudflare counts rate limits by these numbers in the whole account, so production's differ from staging's.
  const rates = z.array(z.looseObject({})).parse(raw.ratelimits);
  const first = 10_000 + (createHash('sha256').update(changes.name).digest().readUInt32BE() % 1_000_000_000);
  return {
    ...raw,
    ratelimits: rates.map((rate, i) => ({ ...rate, namespace_id: String(first + i) })),
    ...changes,
    main: join(PROJECT_ROOT, String(raw.main)),
    assets: { ...raw.assets, directory: join(PROJECT_ROOT, String(raw.assets?.directory)) },
    vars,
    workers_dev: new URL(vars.BASE_URL).hostname.endsWith('.workers.dev'),
    routes: changes.routes.filter((route) => !CustomDomain.safeParse(route).success),
    d1_databases: [{ ...changes.d1_databases[0], migrations_dir: join(PROJECT_ROOT, 'migrations') }],
    r2_buckets: changes.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction: vars.JURISDICTION })),
  };
}

const CustomDomain = z.looseObject({ pattern: z.string(), custom_domain: z.literal(true) });

/** Returns the Worker's own domains: those in `routes`. Without any route, its address, unless it is on workers.dev. */
export function domainsOf({ routes, vars }: Changes): { hostname: string }[] {
  const { hostname } = new URL(vars.BASE_URL);
  if (routes.length === 0) return hostname.endsWith('.workers.dev') || LOOPBACK.has(hostname) ? [] : [{ hostname }];
  const domains = routes.flatMap((route) => CustomDomain.safeParse(route).data ?? []);
  return domains.map(({ pattern, custom_domain: _, ...rest }) => ({ ...rest, hostname: pattern }));
}
