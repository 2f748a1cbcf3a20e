import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import { jurisdiction } from '#protocol/variable-shapes.ts';
import { migrationFiles } from '../migrate.ts';
import type { CloudflareAccount } from './cloudflare.ts';
import { deploy } from './deploy.ts';
import { type Changes, changesFor, writeConfig, writeFileOf } from './deployment.ts';
import { createBucket, createDatabase } from './places.ts';
import { createWrangler, type Wrangler } from './wrangler.ts';

/** The code of a Worker that returns the jurisdiction of its object. The path of a request names the jurisdiction. */
export const PROBE = `import { DurableObject } from 'cloudflare:workers';
export class Probe extends DurableObject { where() { return this.ctx.id.jurisdiction ?? 'none'; } }
export default { async fetch(request, env) {
  const name = new URL(request.url).pathname.slice(1);
  try { return new Response(await env.PROBE.jurisdiction(name).getByName('probe').where()); }
  catch (error) { return new Response(String(error)); }
} };
`;

export const probeConfig = (name: string, routes: readonly object[] = []): object => ({
  name,
  main: 'probe.mjs',
  compatibility_date: '2026-07-01',
  workers_dev: true,
  routes,
  durable_objects: { bindings: [{ name: 'PROBE', class_name: 'Probe' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['Probe'] }],
});

export interface Experiments {
  readonly account: CloudflareAccount;
  /** Wrangler with the configuration of the probe. */
  readonly wrangler: Wrangler;
  /** The name of the Worker, and the first part of all other names. */
  readonly name: string;
  /** A temporary folder for configurations. */
  readonly folder: string;
  /** An unused host name, for the experiments with domains. Without it they are omitted. */
  readonly domain?: string;
  /** Sends a request to a Worker. */
  readonly reach: (url: string, headers: Record<string, string>) => Promise<Response>;
  /** How long a new address or version may take. */
  readonly patienceMs: number;
  /** Reports the verdict of an experiment. */
  readonly tell: (isGood: boolean, line: string) => void;
}

/** Accepts any shape: an answer without the wanted field makes the experiment differ. */
const Answer = z.any();
const ASK_EVERY_MS = 2000;
const STARTUP = /Worker Startup Time: \d+ ms/;
/** Counts what the migrations create, without the tables of SQLite, D1 and wrangler. */
const COUNT = `SELECT COUNT(*) AS made FROM sqlite_master WHERE sql IS NOT NULL
  AND name NOT LIKE 'sqlite%' AND name NOT LIKE '!_cf%' ESCAPE '!' AND name <> 'd1_migrations'`;
const LONG_TRIGGER = `CREATE TABLE check_a (a);
CREATE TRIGGER check_b AFTER INSERT ON check_a BEGIN
  DELETE FROM check_a;
END;
SELECT 0 AS made;`;

/** Runs each experiment, also after one that failed. Rejects if the first deployment fails, which the others need. */
export async function tryAll(given: Experiments): Promise<void> {
  const { account, name, folder, domain, wrangler, reach, tell } = given;
  const get = (path: string) => account.call(Answer, 'GET', path);
  const { subdomain } = await get('/workers/subdomain');
  const [probe, address] = [`${name}-probe`, `https://${name}.${subdomain}.workers.dev`];

  /** Reports whether `ask` returns what the project expects. Asks again until it does, for at most `patienceMs`. */
  async function find(what: string, wanted: string | RegExp, ask: () => unknown, patienceMs = 0): Promise<void> {
    const matchOf = (text: string) => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
    const ask1 = async () => String(await ask());
    for (const until = Date.now() + patienceMs; ; await delay(ASK_EVERY_MS)) {
      const found = await ask1().catch((error: unknown) => `failed: ${reasonOf(error)}`);
      if (!matchOf(found) && Date.now() < until) continue;
      tell(
        matchOf(found),
        `${what}: ${matchOf(found) ? (found.match(wanted)?.[0] ?? found) : `${found}; expected ${wanted}`}`,
      );
      return;
    }
  }
  const slowly = (what: string, wanted: string, ask: () => unknown) => find(what, wanted, ask, given.patienceMs);
  const statusOf = (path: string, token: string) => async () =>
    (await reach(address + path, { Authorization: `Bearer ${token}` })).status;
  const shares = async () => (await get(`/workers/scripts/${name}/deployments`)).deployments[0].versions;

  const secrets = { ADMIN_TOKEN: token(), CLIP_ID_SECRET: token(), METRICS_TOKEN: token() };
  const vars = { BASE_URL: address, LOCATION_HINT: 'weur' };
  const changes = changesFor('check', name, { ...vars, CLIP_TTL_DAYS: '10' });
  const config = await deploy({ env: 'check', isDry: false, say: () => {}, folder, changes, secrets });
  tell(true, 'a first deploy: database, buckets, migrations, objects, limits, cron');
  const made: Changes = { ...changes, d1_databases: [config.d1_databases[0]] };
  const database = `/d1/database/${config.d1_databases[0].database_id}`;
  const query = (sql: string) => async () =>
    (await account.call(Answer, 'POST', `${database}/query`, { body: { sql } })).at(-1).results[0].made;
  const written = (await migrationFiles()).flatMap(({ text }) => text.match(/^CREATE /gm) ?? []).length;
  await find("tables, indexes and triggers after D1's split", String(written), query(COUNT));
  await find('a trigger on several lines, which the project avoids', /incomplete input|^0$/, query(LONG_TRIGGER));
  await find('the region of the database', /weur/i, async () => (await get(database)).running_in_region);
  await find('the region of a bucket', /weur/i, async () => (await get(`/r2/buckets/${name}-clips`)).location);
  await slowly('the address on workers.dev', '200', statusOf('/metrics', secrets.METRICS_TOKEN));

  const [first] = await shares();
  const service = createWrangler(
    writeConfig('check', folder, { ...made, vars: { ...vars, CLIP_TTL_DAYS: '20' } }).file,
  );
  const METRICS_TOKEN = token();
  const file = join(folder, 'secrets.json');
  writeFileOf(file, { METRICS_TOKEN });
  await find('a second deploy', STARTUP, () => service.read('deploy', '--secrets-file', file));
  await slowly('the secret that came with it', '200', statusOf('/metrics', METRICS_TOKEN));
  await slowly('a secret that did not', '200', statusOf('/admin/accounts', secrets.ADMIN_TOKEN));
  await find('a version for 5 %', '5,95', async () => {
    const [whole] = await shares();
    const [, uploaded] = /Version ID: (\S+)/.exec(await service.read('versions', 'upload')) ?? [];
    await service.read('versions', 'deploy', `${uploaded}@5%`, `${whole.version_id}@95%`, '--yes');
    return (await shares())
      .map(({ percentage }: { percentage: number }) => percentage)
      .sort((a: number, b: number) => a - b);
  });
  await find('a variable after a rollback without a terminal', '10', async () => {
    await service.read('rollback', first.version_id, '--yes');
    const { resources } = await get(`/workers/scripts/${name}/versions/${(await shares())[0].version_id}`);
    return resources.bindings.find((one: { name: string }) => one.name === 'CLIP_TTL_DAYS')?.text;
  });
  await slowly('a secret after it', '200', statusOf('/metrics', secrets.METRICS_TOKEN));

  await find('a second Worker', STARTUP, () => wrangler.read('deploy'));
  for (const where of jurisdiction.options) {
    await find(`a database and a bucket in ${where}`, 'made', async () => {
      await createDatabase(account, `${name}-${where}`, { JURISDICTION: where });
      await createBucket(account, `${name}-${where}`, { JURISDICTION: where });
      return 'made';
    });
    await slowly(`an object in ${where}`, where, async () => {
      return (await reach(`https://${probe}.${subdomain}.workers.dev/${where}`, {})).text();
    });
  }
  if (domain === undefined) return;

  const routes = [{ pattern: domain, custom_domain: true }];
  const changesOf = (worker: string) => {
    const path = `/workers/scripts/${worker}/domains/changeset?replace_state=true`;
    return account.call(Answer, 'POST', path, { body: [{ hostname: domain }] });
  };
  const changeset = (worker: string) => async () => {
    const { updated } = await changesOf(worker);
    return updated.length === 0 ? 'new' : `${updated[0].modified ? 'taken from' : 'stays with'} ${updated[0].service}`;
  };
  const published = (by: Wrangler) => async () => {
    await by.read('triggers', 'deploy');
    return (await get(`/workers/domains?hostname=${domain}`))[0]?.service;
  };
  await find('what a Worker that is missing would change', /10007/, changeset(`${name}-none`));
  await find('what a free domain would change', 'new', changeset(probe));
  const { updated, conflicting } = await changesOf(probe);
  if (updated.length + conflicting.length > 0) {
    // Without a terminal, wrangler would replace it.
    tell(false, `${domain} is in use: nothing was published there`);
    return;
  }
  const withDomain = join(folder, 'domain.json');
  writeFileOf(withDomain, probeConfig(probe, routes));
  await find('a domain', probe, published(createWrangler(withDomain)));
  await find('the same domain for another Worker, asked first', `taken from ${probe}`, changeset(name));
  const other = writeConfig('check', folder, { ...made, routes });
  await find('and published without a terminal', name, published(createWrangler(other.file)));
}

const token = () => randomBytes(32).toString('base64url');
