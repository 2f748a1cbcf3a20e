import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeJson } from '#stack/data-lock.ts';
import { type DeployOptions, type DestroyOptions, deploy, destroy } from '#stack/deploy.ts';
import { bucketsOf, changesFor, configOf, filesOf } from '#stack/deployment.ts';
import { createWrangler } from '#stack/wrangler.ts';
import { openCloudflare } from './cloudflare-account.ts';
import { splitOnServer } from './cloudflare-answers.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

/** `npx node test/soak/cli.ts setup` runs all: most of them are processes of wrangler. */
const isWhole = process.env.SETUP === 'all';

const DOMAIN = 'https://clips.somebody.dev';
const WORKERS_DEV = 'https://tickreel.somebody.workers.dev';
const SECRETS = { ADMIN_TOKEN: 'a'.repeat(32), CLIP_ID_SECRET: 'c'.repeat(32), METRICS_TOKEN: 'm'.repeat(16) };
const ZONE = 'a'.repeat(32);

let folder: string;
let api: CloudflareApi;
let end: () => Promise<void>;
let lines: string[];

beforeEach(async () => {
  ({ folder, api, end } = await openCloudflare());
  lines = [];
});
afterEach(() => end());

const file = () => filesOf({ env: 'production', folder });
const changes = async () => JSON.parse(await readFile(file().changes, 'utf8'));

/** Writes the deployment's file, as setup does. */
async function answer(url: string, vars: Record<string, string> = {}) {
  const before = await changes().catch(() => changesFor('tickreel', { BASE_URL: url }));
  writeJson(file().changes, { ...before, vars: { ...before.vars, BASE_URL: url, ...vars } });
}

/** Deploys as setup does, or as `npm run deploy` does without an address. */
async function run(url?: string, options: Partial<DeployOptions> = {}, vars: Record<string, string> = {}) {
  lines = [];
  if (url) await answer(url, vars);
  const say = (line: string) => void lines.push(line);
  const given = { env: 'production', dryRun: false, adopt: false, takeOver: false, secrets: SECRETS };
  await deploy({ ...given, say, folder, ...options });
}
const writes = () => api.asked.filter((line) => !line.startsWith('GET') && !line.endsWith('/query'));
const worker = () => api.workers.find('tickreel');
const variable = (name: string) => api.workers.deployed(worker()).bindings.find((one) => one.name === name)?.text;

/** Wrangler with the configuration of the deployment's file. */
async function wrangler() {
  return createWrangler(writeJson(file().wrangler, configOf(await changes())));
}

async function addWorker() {
  const form = new FormData();
  form.set('metadata', JSON.stringify({ main_module: 'a.mjs', compatibility_date: '2026-07-01', bindings: [] }));
  form.set('a.mjs', new Blob(['export default { fetch: () => new Response("mine") }']));
  await api.workers.put('tickreel', form);
}

const addDatabase = (name: string, jurisdiction: string | null = null) => {
  const uuid = crypto.randomUUID();
  api.cloud.databases.set(name, { uuid, jurisdiction, running_in_region: 'WEUR' });
  return uuid;
};

describe('the settings of a deployment', { timeout: 900_000 }, () => {
  it('are all checked before anything changes, with the names that were meant', async () => {
    const wrong = run(WORKERS_DEV, {}, { LOG_LEVLE: 'info', LIMIT_JOBS: 'many' });
    const faults = await wrong.then(
      () => [],
      (error: Error) => error.message.split('\n'),
    );
    expect(faults).toEqual([
      expect.stringMatching(/^settings: variable LIMIT_JOBS Invalid input: .*; 20000 is used instead$/),
      '  variable LOG_LEVLE is no variable of the service: did you mean LOG_LEVEL?',
    ]);
    await expect(run(WORKERS_DEV, { givenSecrets: { CLIP_ID_SECRET: 'short' } })).rejects.toThrow('Too small');
    await expect(run(WORKERS_DEV, { givenSecrets: { PURGE_TOKN: 'x' } })).rejects.toThrow('did you mean PURGE_TOKEN?');
    expect(writes()).toEqual([]);
  });

  it('include those secrets that are missing', async () => {
    await expect(run(WORKERS_DEV, { secrets: {} }, { PURGE_ZONE_ID: ZONE })).rejects.toThrow(
      /CLIP_ID_SECRET is missing: npm run deploy -- --secret CLIP_ID_SECRET\n.*PURGE_TOKEN is missing/s,
    );
    expect(writes()).toEqual([]);
  });
});

it('--secret wants a line of standard input for each name, in their order', async () => {
  const program = fileURLToPath(new URL('../../../packages/stack/deployment-cli.ts', import.meta.url));
  const child = spawn(process.execPath, [program, 'deploy', '--secret', 'PURGE_TOKEN', '--secret', 'METRICS_TOKEN']);
  child.stdin.end('one\n');
  expect((await text(child.stderr)).trim()).toBe('--secret METRICS_TOKEN: standard input has no line with its value');
});

describe('a first run', { timeout: 900_000 }, () => {
  it('refuses a database and a Worker that are there, until it adopts them', async () => {
    for (let i = 0; i < 30; i += 1) addDatabase(`tickreel-${i}`);
    addDatabase('tickreel');
    await addWorker();
    const refused = (what: string) => `this account already has ${what}. Choose another name, or use it with --adopt`;
    await expect(run(WORKERS_DEV)).rejects.toThrow(refused('a database tickreel'));
    await run(WORKERS_DEV, { adopt: true, dryRun: true });
    expect(lines.filter((line) => line.startsWith('would run'))).toEqual([
      'would run: wrangler r2 bucket create tickreel-clips',
      'would run: wrangler r2 bucket create tickreel-assets',
      'would run: wrangler d1 migrations apply DB --remote',
      expect.stringMatching(/^would run: wrangler deploy --secrets-file /),
    ]);
    expect(writes()).toEqual([]);
    api.cloud.databases.delete('tickreel');
    await expect(run(WORKERS_DEV)).rejects.toThrow(refused('a Worker tickreel'));
    expect(writes()).toEqual([]);
  });

  it.runIf(isWhole)('refuses a bucket that is there, and a run with --adopt continues', async () => {
    api.cloud.buckets.set('default/tickreel-assets', 'ENAM');
    await expect(run(WORKERS_DEV)).rejects.toThrow(/r2 bucket create tickreel-assets failed.*already exists/s);
    expect((await changes()).r2_buckets).toEqual([{ binding: 'CLIPS', bucket_name: 'tickreel-clips' }]);
    expect(api.cloud.databases.size).toBe(0);
    await run(WORKERS_DEV, { adopt: true });
    expect([...api.cloud.buckets.keys()]).toEqual(['default/tickreel-assets', 'default/tickreel-clips']);
    expect((await api.reach(`${WORKERS_DEV}/`)).status).toBe(200);
  });

  it("compares an address on workers.dev with the account's name there", async () => {
    await expect(run('https://tickreel.other.workers.dev')).rejects.toThrow(
      `The Worker gets ${WORKERS_DEV}, and not https://tickreel.other.workers.dev.`,
    );
    api.cloud.subdomain = null;
    await expect(run(WORKERS_DEV)).rejects.toThrow(/404: .*subdomain_not_found/);
    expect(writes()).toEqual([]);
  });

  it.runIf(isWhole)('says what the API answers: permission, pause, another account, another place', async () => {
    api.cloud.denied.add('D1');
    await expect(run(WORKERS_DEV)).rejects.toThrow(/^wrangler d1 list.*Authentication error \[code: 10000\]/s);
    api.cloud.denied.clear();
    api.fail('GET /workers/scripts/tickreel/secrets', { status: 429, code: 971, message: 'Please wait' });
    await expect(run(WORKERS_DEV)).rejects.toThrow(/^wrangler secret list.*Please wait \[code: 971\]/s);
    addDatabase('tickreel', 'eu');
    await expect(run(WORKERS_DEV, { adopt: true })).rejects.toThrow(
      'the jurisdiction of the database tickreel is eu, and cannot be changed',
    );
    const known = await changes();
    known.d1_databases[0].database_id = crypto.randomUUID();
    await writeFile(file().changes, JSON.stringify(known));
    await expect(run()).rejects.toThrow('this account has no database tickreel of id');
    expect(writes()).toEqual([]);
  });
});

describe.runIf(isWhole)('the place of data', { timeout: 900_000 }, () => {
  it.each([
    [{ JURISDICTION: 'eu' }, { jurisdiction: 'eu' }, 'eu/tickreel-clips', 'WEUR'],
    [{ LOCATION_HINT: 'apac' }, { jurisdiction: null, running_in_region: 'APAC' }, 'default/tickreel-clips', 'APAC'],
  ])('of %j is that of database and bucket', async (place, database, bucket, region) => {
    // What comes after is not looked at.
    api.cloud.isPaid = false;
    await expect(run(WORKERS_DEV, {}, place)).rejects.toThrow('not supported for the Free plan');
    expect(api.cloud.databases.get('tickreel')).toMatchObject(database);
    expect(api.cloud.buckets.get(bucket)).toBe(region);
  });

  it('is refused if only objects have it', async () => {
    await expect(run(WORKERS_DEV, {}, { LOCATION_HINT: 'sam' })).rejects.toThrow(/Invalid values.*location.*sam/s);
    expect(writes()).toEqual([]);
  });
});

describe('the server of D1', () => {
  const trigger = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = 1; DELETE FROM c; END;';
  it.each([
    ['on one line', trigger, 1],
    ['on several', trigger.replaceAll('; ', ';\n'), 3],
    ['with CRLF', `${trigger}\r\n`, 3],
    ['with a lower-case begin', trigger.replace('BEGIN', 'begin'), 3],
    ['with a second END', trigger.replace('b = 1', 'b = CASE WHEN b THEN 1 END'), 3],
  ])('splits a trigger %s', (_, sql, parts) => expect(splitOnServer(sql)).toHaveLength(parts));
});

describe.runIf(isWhole)('a deployment by wrangler', { timeout: 900_000 }, () => {
  it('continues after each step that failed', async () => {
    const steps: [string, Parameters<typeof api.fail>[1], number, RegExp][] = [
      ['POST /r2/buckets', { status: 502 }, 1, /^wrangler r2 bucket create.*told to fail/s],
      ['POST /d1/database', { status: 500 }, 1, /^wrangler d1 create.*told to fail/s],
      ['GET /workers/services/tickreel', { status: 503 }, 1, /^wrangler deploy.*told to fail/s],
      // Wrangler repeats it.
      ['PUT /workers/scripts/tickreel', { status: 500 }, 3, /^wrangler deploy.*told to fail/s],
      ['PUT /workers/scripts/tickreel/schedules', { code: 10072 }, 1, /Some triggers failed.*docs\/deploy/s],
      ['POST /workers/scripts/tickreel/deployments', { status: 429, retryAfter: 3 }, 1, /^wrangler deploy/],
    ];
    for (const [line, fault, times, reason] of steps) {
      api.fail(line, fault, times);
      await expect(run(WORKERS_DEV)).rejects.toThrow(reason);
    }
    await run();
    expect(worker().schedules).toEqual([{ cron: '*/5 * * * *' }]);
    expect(api.cloud.databases.size).toBe(1);
    expect(Object.fromEntries(api.workers.secrets('tickreel'))).toEqual(SECRETS);
    expect((await api.reach(`${WORKERS_DEV}/`)).status).toBe(200);
  });

  it('sets variables and secrets in one version, keeps the other secrets, and never replaces CLIP_ID_SECRET', async () => {
    await run(WORKERS_DEV);
    const before = writes().length;
    await run(WORKERS_DEV, { secrets: {}, givenSecrets: { PURGE_TOKEN: 'a-purge-token' } }, { PURGE_ZONE_ID: ZONE });
    expect(
      writes()
        .slice(before)
        .filter((line) => line.endsWith('/versions')),
    ).toHaveLength(1);
    expect(variable('PURGE_ZONE_ID')).toBe(ZONE);
    expect(Object.fromEntries(api.workers.secrets('tickreel'))).toEqual({ ...SECRETS, PURGE_TOKEN: 'a-purge-token' });
    const replaced = run(WORKERS_DEV, { givenSecrets: { CLIP_ID_SECRET: 'd'.repeat(32) } });
    await expect(replaced).rejects.toThrow('no clip would be found');
  });

  it('updates, upgrades, goes out by shares, and is rolled back', async () => {
    await run(WORKERS_DEV, {}, { CLIP_TTL_DAYS: '10' });
    const { database, made } = await countTables();
    expect(database).toBe(made);

    // An update is a version, and the settings that have none.
    const first = api.workers.deployed(worker()).id;
    let before = api.asked.length;
    await run(WORKERS_DEV, {}, { CLIP_TTL_DAYS: '20' });
    const script = '/workers/scripts/tickreel';
    expect(api.asked.slice(before)).toEqual(
      expect.arrayContaining([
        `POST ${script}/versions`,
        `POST ${script}/deployments`,
        `PATCH ${script}/script-settings`,
      ]),
    );
    expect([variable('CLIP_TTL_DAYS'), worker().settings.observability]).toMatchObject(['20', { enabled: true }]);

    // An upgrade that brings a class of objects is uploaded whole.
    worker().migrationTag = 'v1';
    for (const version of worker().versions) version.tag = 'v1';
    for (const added of ['PushHost', 'PurgeQueue']) worker().classes.delete(added);
    before = api.asked.length;
    const { read } = await wrangler();
    await expect(read('versions', 'upload')).rejects.toThrow(/Durable Object migration.*code: 10211/s);
    await run();
    expect(api.asked.slice(before)).toContain(`PUT ${script}`);
    expect([worker().migrationTag, [...worker().classes].sort()]).toEqual([
      'v2',
      ['Dispatcher', 'PurgeQueue', 'PushHost', 'RenderJob'],
    ]);
    const whole = api.workers.deployed(worker()).id;

    // docs/deploy.md, "Gradual deployments and rollbacks".
    await answer(WORKERS_DEV, { CLIP_TTL_DAYS: '30' });
    const uploaded = /Worker Version ID: (\S+)/.exec(await (await wrangler()).read('versions', 'upload'))?.[1] ?? '';
    expect(variable('CLIP_TTL_DAYS')).toBe('20');
    await read('versions', 'deploy', `${uploaded}@5%`, `${whole}@95%`, '--yes');
    expect(worker().deployments[0]?.versions).toEqual([
      { version_id: uploaded, percentage: 5 },
      { version_id: whole, percentage: 95 },
    ]);
    await expect(read('versions', 'deploy', `${first}@100%`, '--yes')).rejects.toThrow('migration v2');
    await read('versions', 'deploy', `${uploaded}@100%`, '--yes');
    expect(variable('CLIP_TTL_DAYS')).toBe('30');

    // A rollback also brings back variables and secrets.
    await api.workers.putSecret('tickreel', 'METRICS_TOKEN', 'another-token-of-16');
    await read('rollback', whole, '--yes');
    expect([variable('CLIP_TTL_DAYS'), variable('METRICS_TOKEN')]).toEqual(['20', SECRETS.METRICS_TOKEN]);
  });

  it("refuses DNS records and another Worker's domain, and takes them over only if told so", async () => {
    api.cloud.records.add('clips.somebody.dev');
    await expect(run(DOMAIN)).rejects.toThrow(
      /clips\.somebody\.dev.*already has externally managed DNS records.*--take-over/s,
    );
    expect([api.cloud.domains.size, api.cloud.records.size]).toEqual([0, 1]);
    await run(DOMAIN, { takeOver: true });
    expect(api.cloud.domains.get('clips.somebody.dev')?.service).toBe('tickreel');

    api.cloud.domains.set('films.somebody.dev', { id: '1', hostname: 'films.somebody.dev', service: 'shop' });
    const before = writes().length;
    await expect(run('https://films.somebody.dev')).rejects.toThrow('is the domain of another Worker');
    // Before the new version.
    expect(writes().slice(before)).toEqual(['PUT /workers/scripts/tickreel/domains/records']);
    await run('https://videos.somebody.dev');
    expect([...api.cloud.domains.keys()]).toEqual(['films.somebody.dev', 'videos.somebody.dev']);
  });

  it("shows wrangler's reasons whole", async () => {
    await expect(run('https://clips.elsewhere.dev')).rejects.toThrow('No zone of this account has');
    api.cloud.otherCrons = 250;
    await expect(run(WORKERS_DEV)).rejects.toThrow(/- A request.*schedules\) failed/s);
    api.cloud.otherCrons = 0;
    api.cloud.startupMs = 1500;
    await expect(run(WORKERS_DEV)).rejects.toThrow(/exceeded startup limits.*CPU time limit/s);
    Object.assign(api.cloud, { startupMs: 1, isPaid: false });
    await expect(run(WORKERS_DEV)).rejects.toThrow(/not supported for the Free plan\.\n\s+Switch to.*100328/s);
  });
});

describe.runIf(isWhole)('npm run setup -- --destroy', { timeout: 900_000 }, () => {
  const destroyed = (options: Partial<DestroyOptions> = {}) => {
    lines = [];
    const given = { env: 'production', dryRun: false, withBuckets: false, adopt: false, folder };
    return destroy({ ...given, say: (line) => lines.push(line), confirm: async () => 'tickreel', ...options });
  };
  const parts = () => [
    ...api.workers.list().map(({ id }) => id),
    ...api.cloud.databases.keys(),
    ...api.cloud.buckets.keys(),
    ...api.cloud.domains.keys(),
  ];
  const buckets = ['default/tickreel-clips', 'default/tickreel-assets'];
  const whole = ['tickreel', 'tickreel', ...buckets, 'clips.somebody.dev'];

  /** Makes the parts of a deployment, with files in a bucket. */
  beforeEach(async () => {
    const id = addDatabase('tickreel');
    for (const bucket of buckets) api.cloud.buckets.set(bucket, 'ENAM');
    api.cloud.full.add('tickreel-clips');
    await addWorker();
    api.cloud.domains.set('clips.somebody.dev', { id: 'd', hostname: 'clips.somebody.dev', service: 'tickreel' });
    await answer(DOMAIN, { CLIP_TTL_DAYS: '9' });
    const known = await changes();
    known.d1_databases[0].database_id = id;
    known.r2_buckets = bucketsOf('tickreel');
    await writeFile(file().changes, JSON.stringify(known));
    await writeFile(file().secrets, JSON.stringify(SECRETS));
  });

  it('lists everything, and removes nothing in a dry run or under another name', async () => {
    await destroyed({ dryRun: true });
    expect(lines).toEqual([
      'would remove the domain clips.somebody.dev',
      'would run: wrangler delete --force',
      'would run: wrangler d1 delete DB --skip-confirmation',
    ]);
    await expect(destroyed({ confirm: async () => 'tick' })).rejects.toThrow(
      'Nothing is removed: the name is tickreel.',
    );
    await expect(destroyed({ env: 'staging' })).rejects.toThrow('There is no');
    expect(parts()).toEqual(whole);
  });

  it('keeps the buckets and the secret that finds their clips, and setup begins anew', async () => {
    await destroyed();
    expect(parts()).toEqual(buckets);
    expect(await changes()).toMatchObject({
      name: 'tickreel',
      vars: { BASE_URL: DOMAIN, CLIP_TTL_DAYS: '9' },
      d1_databases: [{ binding: 'DB', database_name: 'tickreel' }],
    });
    expect((await changes()).d1_databases[0]).not.toHaveProperty('database_id');
    expect(JSON.parse(await readFile(file().secrets, 'utf8'))).toEqual(SECRETS);
    await expect(destroyed({ withBuckets: true })).rejects.toThrow('Remove them with --adopt');
  });

  it('refuses to remove a bucket with files, until the command of docs/deploy.md has emptied it', async () => {
    await expect(destroyed({ withBuckets: true })).rejects.toThrow(/r2 bucket delete tickreel-clips failed.*10008/s);
    const guide = await readFile('docs/deploy.md', 'utf8');
    const [, command = ''] = /^npx wrangler (r2 bucket lifecycle add .*)$/m.exec(guide) ?? [];
    await (await wrangler()).read(...command.split(' '));
    expect(api.cloud.lifecycles.get('default/tickreel-clips')).toMatchObject([
      { enabled: true, deleteObjectsTransition: { condition: { maxAge: 86_400 } } },
    ]);
    api.cloud.full.clear();
    await destroyed({ withBuckets: true });
    expect(parts()).toEqual([]);
    expect((await readdir(folder)).filter((name) => name !== 'cloud')).toEqual(['deployment.production.json']);
  });

  it('continues after an interruption, and refuses the same names in another account', async () => {
    const [{ uuid } = { uuid: '' }] = api.cloud.databases.values();
    api.fail(`DELETE /d1/database/${uuid}`);
    await expect(destroyed()).rejects.toThrow('told to fail');
    expect(parts()).toEqual(['tickreel', ...buckets]);
    addDatabase('tickreel');
    await expect(destroyed()).rejects.toThrow('this account has no database tickreel');
    api.cloud.databases.set('tickreel', { uuid, jurisdiction: null, running_in_region: 'WEUR' });
    await destroyed();
    expect(parts()).toEqual(buckets);
  });

  it('may need a run more, because wrangler looks for the files of a site after it has deleted the Worker', async () => {
    api.cloud.denied.add('Workers KV Storage');
    await expect(destroyed()).rejects.toThrow(/^wrangler delete --force failed/);
    await destroyed();
    expect(parts()).toEqual(buckets);
  });
});

describe.runIf(isWhole)('the login of wrangler', { timeout: 900_000 }, () => {
  it('is used, with its only account', async () => {
    const dry = () => run(WORKERS_DEV, { dryRun: true });
    // With CLOUDFLARE_ACCOUNT_ID, a token needs no permission to read accounts.
    api.cloud.denied.add('Account Settings');
    await dry();
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined);
    await expect(dry()).rejects.toThrow('Authentication error');
    api.cloud.denied.clear();
    api.cloud.accounts = 2;
    await expect(dry()).rejects.toThrow('the login has 2 accounts: set CLOUDFLARE_ACCOUNT_ID');
    // Without it, wrangler notes the only account in node_modules.
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'a'.repeat(32));
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined);
    vi.stubEnv('XDG_CONFIG_HOME', folder);
    await expect(dry()).rejects.toThrow(/nobody is logged in: npx wrangler login/);
  });
});

async function countTables() {
  const database = await api.workers.databaseOf([...api.cloud.databases.values()][0]?.uuid ?? '');
  const { results } = await database
    .prepare(
      "SELECT type, COUNT(*) AS made FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '%sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations' GROUP BY type",
    )
    .all<{ type: string; made: number }>();
  const sql = (
    await Promise.all(['0000_tables', '0001_triggers'].map((name) => readFile(`migrations/${name}.sql`, 'utf8')))
  ).join('\n');
  return { database: results.reduce((sum, { made }) => sum + made, 0), made: sql.match(/^CREATE /gm)?.length };
}
