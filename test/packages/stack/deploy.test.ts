import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAccount } from '#stack/setup/cloudflare.ts';
import { type DeployOptions, deploy } from '#stack/setup/deploy.ts';
import { changesFor, writeConfig } from '#stack/setup/deployment.ts';
import { type DestroyOptions, destroy } from '#stack/setup/destroy.ts';
import { type CheckOptions, firstDeployCheck } from '#stack/setup/first-deploy-check.ts';
import { createBucket, createDatabase } from '#stack/setup/places.ts';
import { createWrangler } from '#stack/setup/wrangler.ts';
import { openCloudflare } from './cloudflare-account.ts';
import { splitOnServer } from './cloudflare-answers.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

/** `npx node test/soak/cli.ts setup` runs all: most of them are processes of wrangler. */
const isWhole = process.env.SETUP === 'all';

const DOMAIN = 'https://clips.somebody.dev';
const WORKERS_DEV = 'https://tickreel.somebody.workers.dev';

let folder: string;
let api: CloudflareApi;
let lines: string[];

let end: () => Promise<void>;

beforeEach(async () => {
  ({ folder, api, end } = await openCloudflare());
  lines = [];
});
afterEach(() => end());

const SECRETS = { ADMIN_TOKEN: 'a'.repeat(32), CLIP_ID_SECRET: 'c'.repeat(32), METRICS_TOKEN: 'm'.repeat(16) };

/** Writes the deployment's file, as setup does. */
async function answer(url: string, vars: Record<string, string> = {}) {
  const file = join(folder, 'deployment.production.json');
  const before = await readFile(file, 'utf8').then(JSON.parse, () => changesFor('production', 'tickreel', {}));
  await writeFile(file, JSON.stringify({ ...before, vars: { ...before.vars, BASE_URL: url, ...vars } }));
}

/** Deploys as setup does, or as `npm run deploy` does without an address. */
async function run(url?: string, options: Partial<DeployOptions> = {}, vars: Record<string, string> = {}) {
  lines = [];
  if (url) await answer(url, vars);
  const say = (line: string) => void lines.push(line);
  return deploy({ env: 'production', isDry: false, say, folder, secrets: SECRETS, ...options });
}
const writes = () => api.asked.filter((line) => !line.startsWith('GET') && !line.endsWith('/query'));
const worker = () => api.workers.find('tickreel');
const variable = (name: string) => api.workers.deployed(worker()).bindings.find((one) => one.name === name)?.text;
const wrangler = () => createWrangler(writeConfig('production', folder).file);

describe('a first run', () => {
  it('refuses a database, buckets and a Worker that are there, until it adopts them', async () => {
    await createDatabase(await openAccount(wrangler()), 'tickreel', {});
    await createBucket(await openAccount(wrangler()), 'tickreel-assets', {});
    const form = new FormData();
    form.set('metadata', JSON.stringify({ main_module: 'a.mjs', compatibility_date: '2026-07-01', bindings: [] }));
    form.set('a.mjs', new Blob(['export default { fetch: () => new Response("mine") }']));
    await api.workers.put('tickreel', form);
    const before = writes().length;
    await expect(run(WORKERS_DEV)).rejects.toThrow(
      'this account already has a database tickreel, a bucket tickreel-assets, a Worker tickreel. Choose another name, or use them with --adopt',
    );
    expect(writes().slice(before)).toEqual([]);
    await run(WORKERS_DEV, { adopt: true, isDry: true });
    expect(lines).toContain('database tickreel: is there');
    expect(lines.join('\n')).toContain('bucket tickreel-clips: would be made');
  });

  it('finds its database among more than a page of others', async () => {
    const account = await openAccount(wrangler());
    for (let i = 0; i < 130; i += 1) {
      const name = i === 120 ? 'tickreel' : `tickreel-${i}`;
      api.cloud.databases.set(name, { uuid: crypto.randomUUID(), jurisdiction: null, running_in_region: 'WEUR' });
    }
    expect(account.id).toBe('a'.repeat(32));
    await expect(run(WORKERS_DEV)).rejects.toThrow('already has a database tickreel.');
  });

  it("compares an address on workers.dev with the account's name there", async () => {
    await expect(run('https://tickreel.other.workers.dev')).rejects.toThrow(
      `address: BASE_URL is https://tickreel.other.workers.dev, but the Worker gets ${WORKERS_DEV}`,
    );
    api.cloud.subdomain = null;
    await expect(run(WORKERS_DEV)).rejects.toThrow('the account has no name on workers.dev yet: choose one at');
    expect(writes()).toEqual([]);
  });

  it("refuses another Worker's domain before it makes anything", async () => {
    api.cloud.domains.set('clips.somebody.dev', { id: '1', hostname: 'clips.somebody.dev', service: 'shop' });
    await expect(run(DOMAIN)).rejects.toThrow(
      'address: clips.somebody.dev is the domain of the Worker shop. Choose another address, or replace these with --take-over',
    );
    expect(writes()).toEqual([]);
  });

  it('says all that the API answers: permission, pause, database elsewhere', async () => {
    api.cloud.denied.add('D1');
    await expect(run(WORKERS_DEV)).rejects.toThrow(
      /^account: GET \/d1.*Authentication error \[code: 10000\]\n.*cause/s,
    );
    api.cloud.denied.clear();
    api.fail('GET /workers/scripts', { status: 429, code: 971, message: 'Please wait', retryAfter: 7 });
    await expect(run(WORKERS_DEV)).rejects.toThrow(/Please wait \[code: 971\].*try again after 7 s/s);
    await createDatabase(await openAccount(wrangler()), 'tickreel', { JURISDICTION: 'eu' });
    await expect(run(WORKERS_DEV, { adopt: true })).rejects.toThrow('is in eu, and JURISDICTION is none');
  });
});

describe('the place of data', () => {
  it.each([
    [{ JURISDICTION: 'us' }, { jurisdiction: 'us' }, 'us/clips'],
    [{ LOCATION_HINT: 'apac' }, { jurisdiction: null, running_in_region: 'APAC' }, 'default/clips'],
    // Only objects have it.
    [{ LOCATION_HINT: 'sam' }, { jurisdiction: null, running_in_region: 'WNAM' }, 'default/clips'],
  ])('of %j is that of database and bucket', async (place, database, bucket) => {
    const account = await openAccount(wrangler());
    await createDatabase(account, 'clips', place);
    await createBucket(account, 'clips', place);
    expect(api.cloud.databases.get('clips')).toMatchObject(database);
    expect([...api.cloud.buckets.keys()]).toEqual([bucket]);
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
      ['POST /d1/database', { status: 500 }, 1, /^database: .*told to fail/s],
      ['POST /r2/buckets', { status: 502 }, 1, /^buckets: .*told to fail/s],
      ['GET /workers/services/tickreel', { status: 503 }, 1, /^Worker: .*told to fail/s],
      // Wrangler repeats it.
      ['PUT /workers/scripts/tickreel', { status: 500 }, 3, /^Worker: .*told to fail/s],
      [
        'PUT /workers/scripts/tickreel/schedules',
        { code: 10072, message: 'limit' },
        2,
        /triggers.*limit \[code: 10072\]/s,
      ],
      ['POST /workers/scripts/tickreel/deployments', { status: 429, retryAfter: 3 }, 1, /^Worker: .*Retry-After/s],
    ];
    for (const [line, fault, times, reason] of steps) {
      api.fail(line, fault, times);
      await expect(run(WORKERS_DEV)).rejects.toThrow(reason);
    }
    // Triggers that failed are tried once more.
    api.fail('PUT /workers/scripts/tickreel/schedules', { status: 500 });
    await run();
    expect(worker().schedules).toEqual([{ cron: '*/5 * * * *' }]);
    expect(lines).toContain(`Worker tickreel: is deployed to ${WORKERS_DEV}`);
    expect(api.cloud.databases.size).toBe(1);
    expect(Object.fromEntries(api.workers.secrets('tickreel'))).toEqual(SECRETS);
    expect((await api.reach(`${WORKERS_DEV}/`)).status).toBe(200);
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
    expect(api.workers.secrets('tickreel').get('CLIP_ID_SECRET')).toBe(SECRETS.CLIP_ID_SECRET);

    // An upgrade that brings a class of objects is uploaded whole.
    worker().migrationTag = 'v1';
    for (const version of worker().versions) version.tag = 'v1';
    for (const added of ['PushHost', 'PurgeQueue']) worker().classes.delete(added);
    before = api.asked.length;
    await expect(wrangler().read('versions', 'upload')).rejects.toThrow(/Durable Object migration.*code: 10211/s);
    await run();
    expect(api.asked.slice(before)).toContain(`PUT ${script}`);
    expect([worker().migrationTag, [...worker().classes].sort()]).toEqual([
      'v2',
      ['Dispatcher', 'PurgeQueue', 'PushHost', 'RenderJob'],
    ]);
    const whole = api.workers.deployed(worker()).id;

    // docs/deploy.md, "Gradual deployments and rollbacks".
    await answer(WORKERS_DEV, { CLIP_TTL_DAYS: '30' });
    const uploaded = /Worker Version ID: (\S+)/.exec(await wrangler().read('versions', 'upload'))?.[1] ?? '';
    expect(variable('CLIP_TTL_DAYS')).toBe('20');
    await wrangler().read('versions', 'deploy', `${uploaded}@5%`, `${whole}@95%`, '--yes');
    expect(worker().deployments[0]?.versions).toEqual([
      { version_id: uploaded, percentage: 5 },
      { version_id: whole, percentage: 95 },
    ]);
    await expect(wrangler().read('versions', 'deploy', `${first}@100%`, '--yes')).rejects.toThrow('migration v2');
    await wrangler().read('versions', 'deploy', `${uploaded}@100%`, '--yes');
    expect(variable('CLIP_TTL_DAYS')).toBe('30');

    // A rollback also brings back variables and secrets.
    await api.workers.putSecret('tickreel', 'METRICS_TOKEN', 'another-token-of-16');
    await wrangler().read('rollback', whole, '--yes');
    expect([variable('CLIP_TTL_DAYS'), variable('METRICS_TOKEN')]).toEqual(['20', SECRETS.METRICS_TOKEN]);
  });

  it('takes over a domain only if told so', async () => {
    api.cloud.records.add('clips.somebody.dev');
    await expect(run(DOMAIN)).rejects.toThrow('address: clips.somebody.dev has DNS records of something else.');
    expect([api.cloud.domains.size, api.cloud.records.size]).toEqual([0, 1]);
    await run(DOMAIN, { takeOver: true });
    expect(api.cloud.domains.get('clips.somebody.dev')?.service).toBe('tickreel');

    api.cloud.domains.set('films.somebody.dev', { id: '1', hostname: 'films.somebody.dev', service: 'shop' });
    const before = writes().length;
    await expect(run('https://films.somebody.dev')).rejects.toThrow(
      'films.somebody.dev is the domain of the Worker shop',
    );
    expect(writes().slice(before)).toEqual(['POST /workers/scripts/tickreel/domains/changeset']);
    await run('https://videos.somebody.dev');
    expect(lines).toContain('domain clips.somebody.dev: no longer leads to this Worker');
    expect([...api.cloud.domains.keys()]).toEqual(['films.somebody.dev', 'videos.somebody.dev']);
  });

  it("shows wrangler's reasons whole", async () => {
    await expect(run('https://clips.elsewhere.dev')).rejects.toThrow(/^domain: .*Could not find zone/s);
    api.cloud.otherCrons = 250;
    await expect(run(WORKERS_DEV)).rejects.toThrow(/- A request.*schedules\) failed.*250 cron triggers per account/s);
    api.cloud.otherCrons = 0;
    api.cloud.startupMs = 1500;
    await expect(run(WORKERS_DEV)).rejects.toThrow(/exceeded startup limits.*CPU time limit/s);
    Object.assign(api.cloud, { startupMs: 1, isPaid: false });
    await expect(run(WORKERS_DEV)).rejects.toThrow(/not supported for the Free plan\.\n\s+Switch to.*100328/s);
    api.cloud.isPaid = true;
    api.cloud.zones = [];
    await expect(run(DOMAIN)).rejects.toThrow('Could not find zone for `clips.somebody.dev`');
  });
});

describe('npm run setup -- --destroy', () => {
  const destroyed = (options: Partial<DestroyOptions> = {}) => {
    lines = [];
    const given = { env: 'production', isDry: false, buckets: false, adopt: false, folder };
    return destroy({ ...given, say: (line) => lines.push(line), confirm: async () => 'tickreel', ...options });
  };
  const file = (name: string) => join(folder, `deployment.production.${name}`);
  const parts = () => [
    ...api.workers.list().map(({ id }) => id),
    ...api.cloud.databases.keys(),
    ...api.cloud.buckets.keys(),
    ...api.cloud.domains.keys(),
  ];
  const buckets = ['default/tickreel-clips', 'default/tickreel-assets'];
  const whole = ['tickreel', 'tickreel', ...buckets, 'clips.somebody.dev'];

  /** Makes the parts of a deployment, with files in a bucket, and somebody's others. */
  beforeEach(async () => {
    const account = await openAccount(wrangler());
    const id = await createDatabase(account, 'tickreel', {});
    for (const bucket of ['tickreel-clips', 'tickreel-assets']) await createBucket(account, bucket, {});
    await mkdir(join(folder, 'cloud/r2/tickreel-clips/blobs'), { recursive: true });
    await writeFile(join(folder, 'cloud/r2/tickreel-clips/blobs/a'), 'a clip');
    const form = new FormData();
    form.set('metadata', JSON.stringify({ main_module: 'a.mjs', compatibility_date: '2026-07-01', bindings: [] }));
    form.set('a.mjs', new Blob(['export default { fetch: () => new Response("mine") }']));
    await api.workers.put('tickreel', form);
    api.cloud.domains.set('clips.somebody.dev', { id: 'd', hostname: 'clips.somebody.dev', service: 'tickreel' });
    await answer(DOMAIN, { CLIP_TTL_DAYS: '9' });
    const changes = JSON.parse(await readFile(file('json'), 'utf8'));
    changes.d1_databases[0].database_id = id;
    await writeFile(file('json'), JSON.stringify(changes));
    const made = { account_id: 'an account', host_id: 'a host', isShown: true };
    await writeFile(file('secrets.json'), JSON.stringify({ ...SECRETS, ...made }));
  });

  it('lists everything, and removes nothing in a dry run or under another name', async () => {
    await destroyed({ isDry: true });
    expect(lines).toEqual([
      'Worker tickreel, its secrets and the objects of its jobs: would be removed',
      'domain clips.somebody.dev: would be removed',
      'database tickreel (without tables): would be removed',
      'bucket tickreel-clips: is kept, with its files',
      'bucket tickreel-assets: is kept, with its files',
    ]);
    await expect(destroyed({ confirm: async () => 'tick' })).rejects.toThrow(
      'Nothing is removed: the name is tickreel.',
    );
    await expect(destroyed({ env: 'staging' })).rejects.toThrow('deployment.staging.json, which names what to remove');
    expect(parts()).toEqual(whole);
  });

  it('keeps the buckets and the secret that finds their clips, and setup begins anew', async () => {
    await destroyed();
    expect(parts()).toEqual(buckets);
    const changes = JSON.parse(await readFile(file('json'), 'utf8'));
    expect(changes).toMatchObject({ name: 'tickreel', vars: { BASE_URL: DOMAIN, CLIP_TTL_DAYS: '9' } });
    expect(changes.d1_databases).toEqual([{ binding: 'DB', database_name: 'tickreel' }]);
    expect(JSON.parse(await readFile(file('secrets.json'), 'utf8'))).toEqual({ ...SECRETS, isShown: false });
    await expect(destroyed({ buckets: true })).rejects.toThrow('Remove them with --adopt');
  });

  it('empties buckets by a rule, and removes them in a later run', async () => {
    await expect(destroyed({ buckets: true })).rejects.toThrow(
      'tickreel-clips had files. R2 deletes them now, which takes about two days. Run this again then',
    );
    expect(parts()).toEqual(['tickreel', 'default/tickreel-clips']);
    expect(api.cloud.lifecycles.get('default/tickreel-clips')).toMatchObject([
      { enabled: true, conditions: { prefix: '' }, deleteObjectsTransition: { condition: { maxAge: 86_400 } } },
    ]);
    await api.workers.expireFiles('tickreel-clips');
    await destroyed({ buckets: true });
    expect(parts()).toEqual([]);
    expect((await readdir(folder)).filter((name) => name !== 'cloud')).toEqual(['deployment.production.json']);
  });

  it('continues after an interruption, and refuses the same names in another account', async () => {
    const [{ uuid } = { uuid: '' }] = api.cloud.databases.values();
    api.fail(`DELETE /d1/database/${uuid}`);
    await expect(destroyed()).rejects.toThrow('told to fail');
    expect(parts()).toEqual(['tickreel', ...buckets]);
    api.cloud.databases.set('tickreel', { uuid: 'other', jurisdiction: null, running_in_region: 'WEUR' });
    await expect(destroyed()).rejects.toThrow('which this Cloudflare account does not have');
    api.cloud.databases.set('tickreel', { uuid, jurisdiction: null, running_in_region: 'WEUR' });
    await destroyed();
    expect(parts()).toEqual(buckets);
  });
});

describe.runIf(isWhole)('the login of wrangler', { timeout: 300_000 }, () => {
  it('is used, with its only account', async () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined);
    expect((await openAccount(wrangler())).id).toBe('a'.repeat(32));
    // Without it, wrangler notes the only account in node_modules.
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'a'.repeat(32));
    api.cloud.denied.add('Workers Scripts');
    await expect(wrangler().read('secret', 'list')).rejects.toThrow(/Authentication error \[code: 10000\]/);
    expect(JSON.parse(await wrangler().read('auth', 'token', '--json'))).toMatchObject({ token: 'a-token' });
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined);
    vi.stubEnv('XDG_CONFIG_HOME', folder);
    await expect(openAccount(wrangler())).rejects.toThrow(/^nobody is logged in: npx wrangler login/);
  });
});

describe.runIf(isWhole)('npm run first-deploy-check', { timeout: 900_000 }, () => {
  const check = async (options: Partial<CheckOptions> = {}) => {
    lines = [];
    const isWell = await firstDeployCheck({
      say: (line) => lines.push(line),
      reach: api.reach,
      patienceMs: 0,
      ...options,
    });
    return { isWell, differing: lines.filter((line) => line.startsWith('DIFFERS')) };
  };
  const nothing = { databases: 0, buckets: 0, domains: 0, workers: 0 };
  const left = () => ({
    databases: api.cloud.databases.size,
    buckets: api.cloud.buckets.size,
    domains: api.cloud.domains.size,
    workers: api.workers.list().length,
  });

  it('says what holds, and removes what it made', async () => {
    const { isWell, differing } = await check({ domain: 'check.somebody.dev' });
    // The local runtime has no jurisdictions.
    expect(differing.map((line) => line.replace(/: .*/, ''))).toEqual(
      ['eu', 'fedramp', 'us'].map((where) => `DIFFERS  an object in ${where}`),
    );
    expect(isWell).toBe(false);
    expect(lines.join('\n')).toMatch(/a trigger on several lines.*incomplete input/);
    expect(lines.join('\n')).toMatch(/asked first: taken from tickreel-check-[0-9a-f]{8}-probe/);
    expect(left()).toEqual(nothing);
  });

  it('removes what it made after a failure, and what an interrupted one left', async () => {
    api.fail('POST /r2/buckets');
    const { isWell, differing } = await check();
    expect([isWell, differing]).toEqual([false, [expect.stringMatching(/ended early: buckets: .*told to fail/s)]]);
    expect(left()).toEqual(nothing);
    await expect(check({ remove: 'tickreel' })).rejects.toThrow('--remove tickreel: must be tickreel-check-');
    api.cloud.databases.set('tickreel', { uuid: '1', jurisdiction: null, running_in_region: 'WEUR' });
    api.cloud.databases.set('tickreel-check-00000000', { uuid: '2', jurisdiction: null, running_in_region: 'WEUR' });
    api.cloud.buckets.set('us/tickreel-check-00000000-us', 'ENAM');
    await check({ remove: 'tickreel-check-00000000' });
    expect([...api.cloud.databases.keys(), ...api.cloud.buckets.keys()]).toEqual(['tickreel']);
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
