import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { TickreelError } from '#client/errors.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { reasonOf } from '#domain/reason.ts';
import { domainList, jurisdiction } from '#protocol/variable-shapes.ts';
import { createTrial, measureJob, type TrialKeys } from '../measure-job.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { writeSample } from '../sample.ts';
import { type DeployOptions, deploy } from './deploy.ts';
import {
  addressFault,
  type Changes,
  changesFile,
  changesFor,
  configOf,
  ignoreSecrets,
  KnownSecrets,
  PRODUCTION,
  readChanges,
  readFileOf,
  secretsFile,
  writeFileOf,
} from './deployment.ts';
import { LOCATIONS } from './places.ts';

export interface SetupOptions extends Pick<DeployOptions, 'env' | 'isDry' | 'say' | 'adopt' | 'takeOver'> {
  /** Asks for an unknown value, with its purpose and its default. */
  readonly ask: (what: SetupQuestion, preset: string | undefined) => Promise<string>;
  readonly folder?: string | undefined;
  /** How long to wait for a new address. */
  readonly patienceMs?: number;
}

export type SetupQuestion = 'name' | 'url' | 'demo-domains' | 'jurisdiction' | 'location';

const PATIENCE_MS = 15 * 60_000;
const ASK_EVERY_MS = 3000;
const NAME_RULE = '1 to 50 lower-case letters, digits and hyphens, the first no hyphen';

/**
 * Sets up a service with an account, its keys, a token for a host and one clip. Can be interrupted and run again:
 * existing parts stay. Rejects with an Error that says what failed.
 */
export async function setUp(options: SetupOptions): Promise<void> {
  const { env, isDry, say, folder = PROJECT_ROOT } = options;
  const changes = await answered(options);
  const path = join(folder, changesFile(env));
  if (isDry) {
    say(`${changesFile(env)}: would contain ${JSON.stringify(changes)}`);
  } else {
    ignoreSecrets(folder);
    writeFileOf(path, changes);
  }
  const kept = join(folder, secretsFile(env));
  const secrets = readFileOf(kept, KnownSecrets) ?? newSecrets();
  if (!isDry) writeFileOf(kept, secrets);
  const { ADMIN_TOKEN, CLIP_ID_SECRET, METRICS_TOKEN } = secrets;
  const config = await deploy({ ...options, changes, secrets: { ADMIN_TOKEN, CLIP_ID_SECRET, METRICS_TOKEN } });
  if (isDry) {
    const isMade = secrets.isShown ? 'are there, and were shown' : 'would be made, and shown once';
    say(`account, metered key, reserved key, host token: ${isMade}`);
    say('a clip of the sample match: would be rendered by a host on this machine');
    return;
  }
  const baseUrl = config.vars.BASE_URL.replace(/\/+$/, '');
  const operator = createTickreelOperator({ baseUrl, adminToken: ADMIN_TOKEN });
  await waitFor(operator, baseUrl, options);
  const keep = (more: Partial<KnownSecrets>) => writeFileOf(kept, Object.assign(secrets, more));
  const made = await firstAccount(operator, secrets, keep, config.name);
  if (made === null) say(`account ${secrets.account_id}: is there; its keys were shown when it was made`);
  else {
    say(`\naccount       ${made.accountId}\nmetered key   ${made.meteredKey}\nreserved key  ${made.key}`);
    say(`host token    ${made.hostToken}\nThey are shown this once. The operator's token is in ${kept}.\n`);
    keep({ isShown: true });
  }
  const trial = made === null ? await createTrial(operator) : { ...made, end: async () => {} };
  say(`A clip was rendered by a host on this machine: ${await renderSample(baseUrl, trial)}`);
}

async function renderSample(baseUrl: string, { end, ...keys }: TrialKeys & { end(): Promise<void> }): Promise<string> {
  const workDir = await mkdtemp(join(tmpdir(), 'tickreel-setup-'));
  try {
    return (await measureJob({ baseUrl, ...keys, sample: await writeSample(workDir), workDir })).page;
  } finally {
    await end();
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Keeps earlier answers, unless options or new answers replace them. */
async function answered({ env, ask, folder = PROJECT_ROOT }: SetupOptions): Promise<Changes> {
  const before = readChanges(env, folder);
  const { BASE_URL, ACCEPTED_DEMO_DOMAINS, JURISDICTION = '', LOCATION_HINT = '' } = before?.vars ?? {};
  const base = configOf({}).vars;
  const name = await ask('name', before?.name ?? (env === PRODUCTION ? 'tickreel' : `tickreel-${env}`));
  if (!/^[a-z0-9][a-z0-9-]{0,49}$/.test(name)) throw new Error(`--name ${name}: must be ${NAME_RULE}`);
  const url = (await ask('url', BASE_URL)).replace(/\/+$/, '');
  const fault = addressFault(url);
  if (fault !== null) throw new Error(`The address ${JSON.stringify(url)} ${fault}.`);
  const domains = await ask('demo-domains', ACCEPTED_DEMO_DOMAINS ?? String(base.ACCEPTED_DEMO_DOMAINS));
  if (!domainList.safeParse(domains).success) {
    throw new Error(`--demo-domains ${JSON.stringify(domains)}: must be domains such as "faceit.com hltv.org", or *`);
  }
  const where = await ask('jurisdiction', JURISDICTION);
  if (!jurisdiction.or(z.literal('')).safeParse(where).success) {
    throw new Error(`--jurisdiction ${where}: must be one of ${jurisdiction.options.join(', ')}`);
  }
  const region = await ask('location', LOCATION_HINT);
  // A deployment's file may name one that only objects have.
  if (region !== '' && region !== LOCATION_HINT && !LOCATIONS.includes(region)) {
    throw new Error(`--location ${region}: must be one of ${LOCATIONS.join(', ')}`);
  }
  const vars = {
    BASE_URL: url,
    ACCEPTED_DEMO_DOMAINS: domains,
    ...(where === '' ? {} : { JURISDICTION: where }),
    ...(region === '' ? {} : { LOCATION_HINT: region }),
  };
  // Nothing is stored before there is a database, so every answer may still change.
  if (before?.d1_databases?.[0].database_id === undefined) {
    if (where !== '' && region !== '') {
      throw new Error('Choose a jurisdiction or a location: within a jurisdiction, Cloudflare chooses the location.');
    }
    const { JURISDICTION: _, LOCATION_HINT: __, ...others } = before?.vars ?? {};
    return { ...before, ...changesFor(env, name, { ...others, ...vars }) };
  }
  if (where !== JURISDICTION || region !== LOCATION_HINT)
    throw new Error('JURISDICTION and LOCATION_HINT cannot be changed: the data stays where it was created.');
  if (before.name !== name)
    throw new Error(`--name ${name}: ${env} is called ${before.name}, and a new name needs another --env`);
  return { ...before, vars: { ...before.vars, ...vars } };
}

function newSecrets(): KnownSecrets {
  const random = () => randomBytes(32).toString('base64url');
  return { ADMIN_TOKEN: random(), CLIP_ID_SECRET: random(), METRICS_TOKEN: random(), isShown: false };
}

const OTHER_TOKEN =
  'The Worker has another ADMIN_TOKEN. Put it into the file of secrets, or delete it: npx wrangler secret delete ADMIN_TOKEN';

/** Waits until the service accepts the operator: a new domain gets its certificate after some minutes. */
async function waitFor(operator: TickreelOperator, url: string, options: SetupOptions): Promise<void> {
  const until = Date.now() + (options.patienceMs ?? PATIENCE_MS);
  for (let isPrinted = false; ; isPrinted = true) {
    try {
      await operator.call('listAccounts');
      return;
    } catch (error) {
      if (error instanceof TickreelError && error.status === 401) throw new Error(OTHER_TOKEN);
      if (Date.now() > until) throw new Error(`${url} does not answer: ${reasonOf(error)}. Run this again.`);
      if (!isPrinted) options.say(`${url}: waiting for it to answer (${reasonOf(error)})`);
    }
    await delay(ASK_EVERY_MS);
  }
}

/**
 * Creates an account with keys and a host. Returns null if they were shown before. Keys that were never shown are
 * revoked and created again, because nobody has them.
 */
async function firstAccount(
  { call }: TickreelOperator,
  { account_id, host_id, isShown }: KnownSecrets,
  keep: (more: Partial<KnownSecrets>) => void,
  name: string,
): Promise<(TrialKeys & { readonly accountId: string; readonly meteredKey: string }) | null> {
  if (isShown) return null;
  const id = account_id ?? (await call('createAccount', { body: { name } })).account_id;
  keep({ account_id: id });
  for (const { key_id: key } of (await call('listKeys', { params: { id } })).keys) {
    await call('revokeKey', { params: { id, key } });
  }
  if (host_id !== undefined) await call('revokeHost', { params: { id: host_id } });
  const { key: meteredKey } = await call('createKey', { params: { id }, body: { kind: 'metered' } });
  const { key } = await call('createKey', { params: { id }, body: { kind: 'reserved' } });
  const host = await call('createHost', { body: { name: 'host 1' } });
  keep({ host_id: host.host_id });
  return { accountId: id, meteredKey, key, hostToken: String(host.token) };
}
