import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { TickreelError } from '#client/errors.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { readJsonFile, writeJson } from './data-lock.ts';
import { type DeployOptions, deploy, requireSettings } from './deploy.ts';
import { Changes, changesFor, configOf, filesOf } from './deployment.ts';
import { doctor } from './doctor.ts';
import { createTrial } from './trial.ts';

/** What setup asks for, as commander names it: the option that answers it, the question, and the variable it sets. */
export const QUESTIONS = {
  name: ['--name', 'Its name at Cloudflare, for the Worker, the database and the buckets', ''],
  url: ['--url', 'Its address, as https://clips.your-domain.dev or https://NAME.SUBDOMAIN.workers.dev', 'BASE_URL'],
  renderer: ['--renderer', 'Renderer of clips: radar draws them from above; empty for cs2, the game', 'RENDERER'],
  demoDomains: ['--demo-domains', 'Domains of demos; * for any, empty for the usual ones', 'ACCEPTED_DEMO_DOMAINS'],
  abuseUrl: ['--abuse-url', 'Where viewers report a clip: mailto: or https:, empty for no link', 'ABUSE_URL'],
  jurisdiction: ['--jurisdiction', 'Where data must stay for good: eu, fedramp, empty for anywhere', 'JURISDICTION'],
  location: ['--location', 'Where data is for good: wnam, enam, weur, eeur, apac, oc, empty for near', 'LOCATION_HINT'],
} as const;

export interface SetupOptions extends DeployOptions {
  /** Asks for an unknown value. Without a preset there has to be one. */
  readonly ask: (what: keyof typeof QUESTIONS, preset: string | undefined) => Promise<string>;
}

const Secrets = z.object({ ADMIN_TOKEN: z.string() }).catchall(z.string());
/** Keeps secrets and generated files out of a repository of the operator's. */
const IGNORED = '\ndeployment.*.secrets.json\nwrangler.*.json\n*.new\n';

/**
 * Sets up a service with an account, its keys, a token for a host and one clip. Can be interrupted and run again:
 * existing parts stay. Rejects with an Error that says what failed.
 */
export async function setUp(options: SetupOptions): Promise<void> {
  const { dryRun, say, folder } = options;
  const files = filesOf(options);
  const before = readJsonFile(files.changes, Changes);
  const changes = await answered(options, before);
  const random = () => randomBytes(32).toString('base64url');
  const fresh = { ADMIN_TOKEN: random(), CLIP_ID_SECRET: random(), METRICS_TOKEN: random() };
  const secrets = readJsonFile(files.secrets, Secrets) ?? fresh;
  if (!dryRun) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    if (folder !== undefined && before === null) appendFileSync(join(folder, '.gitignore'), IGNORED);
    writeJson(files.changes, changes);
    writeJson(files.secrets, secrets);
  }
  await deploy({ ...options, changes, secrets });
  if (dryRun) return;
  const [url, adminToken] = [changes.vars.BASE_URL, secrets.ADMIN_TOKEN];
  const operator = createTickreelOperator({ baseUrl: url, adminToken });
  say(`waits until ${url} answers`);
  if (await hasAccounts(operator)) return say('It has accounts. For keys: npm run tickreel -- admin keys create');
  const { accountId, meteredKey, key, hostToken } = await createTrial(operator, changes.name);
  say(`\naccount       ${accountId}\nmetered key   ${meteredKey}\nreserved key  ${key}\nhost token    ${hostToken}`);
  say(`They are shown this once. The operator's token is in ${files.secrets}.\n`);
  const { report, isWell } = await doctor({ ...options, url, adminToken, keys: { key, hostToken } });
  say(report);
  if (!isWell) throw new Error('The service is set up, but something above is WRONG. Then: npm run doctor');
}

/** Keeps earlier answers, unless options or new answers replace them. */
async function answered({ env, ask }: SetupOptions, before: Changes | null): Promise<Changes> {
  const name = await ask('name', before?.name ?? (env === 'production' ? 'tickreel' : `tickreel-${env}`));
  const vars: Changes['vars'] = { BASE_URL: '', ...before?.vars };
  for (const what of ['url', 'renderer', 'demoDomains', 'abuseUrl', 'jurisdiction', 'location'] as const) {
    const [, , variable] = QUESTIONS[what];
    const answer = await ask(what, vars[variable] || (what === 'url' ? undefined : ''));
    vars[variable] = what === 'url' ? answer.replace(/\/+$/, '') : answer;
    if (answer === '' && what !== 'url') delete vars[variable];
  }
  const made = changesFor(name, vars);
  requireSettings(configOf(made).vars, null);
  const placeOf = (one: Changes) => [one.name, one.vars.JURISDICTION, one.vars.LOCATION_HINT].join(' ');
  if (before && placeOf(before) === placeOf(made)) return { ...before, vars };
  // Nothing is stored before there is a database, so every answer may still change.
  if (before?.d1_databases[0].database_id === undefined) return { ...before, ...made, routes: before?.routes ?? [] };
  throw new Error('The name, the jurisdiction and the location cannot be changed: the data stays. Use another --env.');
}

/** Waits until the service accepts the operator: a new domain gets its certificate after some minutes. */
async function hasAccounts({ call }: TickreelOperator): Promise<boolean> {
  for (const until = Date.now() + 15 * 60_000; ; await delay(3000)) {
    try {
      return (await call('listAccounts')).accounts.length > 0;
    } catch (error) {
      // 401: the Worker has another ADMIN_TOKEN than the file of secrets.
      if (Date.now() > until || (error instanceof TickreelError && error.status === 401)) throw error;
    }
  }
}
