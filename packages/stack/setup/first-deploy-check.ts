import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import { jurisdiction } from '#protocol/variable-shapes.ts';
import { type CloudflareAccount, openAccount } from './cloudflare.ts';
import { writeFileOf } from './deployment.ts';
import { removeWorker } from './destroy.ts';
import { type Experiments, PROBE, probeConfig, tryAll } from './experiments.ts';
import { createWrangler } from './wrangler.ts';

export interface CheckOptions {
  readonly say: (line: string) => void;
  /** An unused host name in a zone of the account, for the experiments with domains. */
  readonly domain?: string;
  /** Only removes what an interrupted check of this name left. */
  readonly remove?: string;
  /** Sends a request to a Worker's address. Default: fetch. */
  readonly reach?: Experiments['reach'];
  /** How long a new address or version may take; default: three minutes. */
  readonly patienceMs?: number;
}

const Ids = z.array(z.looseObject({ id: z.string() }));
const Databases = z.array(z.looseObject({ name: z.string(), uuid: z.string() }));
const Buckets = z.looseObject({ buckets: z.array(z.looseObject({ name: z.string() })) });

/**
 * Runs the experiments that need a Cloudflare account with a temporary deployment, and removes it, also after a
 * failure. Calls `say` with a line for each experiment. Returns whether all results were as the project expects.
 */
export async function firstDeployCheck({ say, remove, ...options }: CheckOptions): Promise<boolean> {
  const name = remove ?? `tickreel-check-${randomBytes(4).toString('hex')}`;
  // Everything whose name begins with this name is removed.
  if (!/^tickreel-check-[0-9a-f]{8}$/.test(name))
    throw new Error(`--remove ${name}: must be tickreel-check- and 8 hexadecimal digits`);
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-check-'));
  let isWell = true;
  const tell = (isGood: boolean, line: string) => {
    isWell &&= isGood;
    say(`${isGood ? 'ok     ' : 'DIFFERS'}  ${line}`);
  };
  try {
    const file = join(folder, 'probe.json');
    await writeFile(join(folder, 'probe.mjs'), PROBE);
    writeFileOf(file, probeConfig(`${name}-probe`));
    const wrangler = createWrangler(file);
    const account = await openAccount(wrangler);
    const reach: Experiments['reach'] = (url, headers) => fetch(url, { headers });
    if (remove === undefined) {
      say(`All names begin with ${name}. After an interruption: npm run first-deploy-check -- --remove ${name}`);
      await tryAll({ reach, patienceMs: 180_000, ...options, account, wrangler, name, folder, tell }).catch(
        (error: unknown) => tell(false, `ended early: ${reasonOf(error)}`),
      );
    }
    await removeAll(account, name, (error) => tell(false, `not removed: ${reasonOf(error)}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return isWell;
}

/** Removes all Workers with their domains and objects, databases and empty buckets whose names begin with `name`. */
async function removeAll(account: CloudflareAccount, name: string, report: (error: unknown) => void): Promise<void> {
  const remove = (path: string, place?: string) =>
    account.call(z.unknown(), 'DELETE', path, { jurisdiction: place }).catch(report);
  const removeWorkers = async () => {
    for (const { id } of await account.call(Ids, 'GET', '/workers/scripts')) {
      if (id.startsWith(name)) await removeWorker(account, id, remove);
    }
  };
  const removeDatabases = async () => {
    const databases = await account.call(Databases, 'GET', `/d1/database?name=${name}`);
    for (const one of databases) if (one.name.startsWith(name)) await remove(`/d1/database/${one.uuid}`);
  };
  const removeBuckets = async (place?: string) => {
    const path = `/r2/buckets?name_contains=${name}`;
    const { buckets } = await account.call(Buckets, 'GET', path, { jurisdiction: place });
    for (const one of buckets) if (one.name.startsWith(name)) await remove(`/r2/buckets/${one.name}`, place);
  };
  await removeWorkers().catch(report);
  await removeDatabases().catch(report);
  for (const place of [undefined, ...jurisdiction.options]) await removeBuckets(place).catch(report);
}
