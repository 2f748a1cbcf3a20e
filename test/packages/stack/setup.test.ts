import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deploy } from '#stack/setup/deploy.ts';
import { addressFault, changesFor, configOf, ignoreSecrets } from '#stack/setup/deployment.ts';
import { destroy } from '#stack/setup/destroy.ts';
import { type SetupQuestion, setUp } from '#stack/setup/setup.ts';
import { openCloudflare } from './cloudflare-account.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

describe('the address of a service', () => {
  it.each([
    'https://tickreel.example.com',
    'https://example.org',
    'https://clips.example',
    'http://clips.somebody.dev',
    'https://clips.somebody.dev/tickreel',
    'clips.somebody.dev',
    '',
  ])('may not be %j', (url) => {
    expect(addressFault(url)).toEqual(expect.any(String));
  });

  it.each(['https://clips.somebody.dev', 'https://myexample.com', 'https://a.b.workers.dev', 'http://127.0.0.1:8787'])(
    'may be %s',
    (url) => expect(addressFault(url)).toBeNull(),
  );

  it.each([
    [
      'https://clips.somebody.dev',
      { workers_dev: false, routes: [{ pattern: 'clips.somebody.dev', custom_domain: true }] },
    ],
    ['https://tickreel.somebody.workers.dev', { workers_dev: true }],
  ])('is where the Worker is routed to, and the name on workers.dev is off beside a domain: %s', (url, expected) => {
    const config = configOf(changesFor('production', 'tickreel', { BASE_URL: url }));
    expect(config).toMatchObject(expected);
    expect('routes' in config).toBe('routes' in expected);
  });
});

it('keeps secrets out of a repository that has a .gitignore already', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, '.gitignore'), 'node_modules');
  for (let times = 0; times < 2; times++) ignoreSecrets(folder);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe(
    'node_modules\ndeployment.*.secrets.json\nwrangler.*.json\n*.new\n',
  );
});

it('the changes of a deployment are merged into wrangler.toml, entry by entry', () => {
  const mine = changesFor('staging', 'tickreel-staging', { BASE_URL: 'https://s.somebody.dev', JURISDICTION: 'eu' });
  const config = configOf({ ...mine, limits: { cpu_ms: 9 } });
  const [plain, staging] = [configOf({ vars: { BASE_URL: 'https://s.somebody.dev' } }), config];
  expect(staging).toMatchObject({
    name: 'tickreel-staging',
    vars: { BASE_URL: 'https://s.somebody.dev', CLIP_TTL_DAYS: '30', LOG_LEVEL: 'info' },
    d1_databases: [{ binding: 'DB', database_name: 'tickreel-staging', migrations_dir: 'migrations' }],
    r2_buckets: [
      { binding: 'CLIPS', bucket_name: 'tickreel-staging-clips', jurisdiction: 'eu' },
      { binding: 'ASSETS', bucket_name: 'tickreel-staging-assets', jurisdiction: 'eu' },
    ],
    limits: { cpu_ms: 9, subrequests: 10_000 },
    durable_objects: plain.durable_objects,
    migrations: plain.migrations,
  });
  expect(staging.d1_databases[0]).not.toHaveProperty('database_id');
  // Counted by number in the whole account, so staging's must differ from production's.
  const numbers = (of: typeof plain) => (of.ratelimits as { namespace_id: string }[]).map((rate) => rate.namespace_id);
  expect(new Set([...numbers(plain), ...numbers(staging)]).size).toBe(4);
});

/** `npx node test/soak/cli.ts setup` runs all steps: each is a process of wrangler. */
const isWhole = process.env.SETUP === 'all';

/** Runs the real wrangler against a fake of the API of the platform, which runs the deployed Worker. */
describe('npm run setup', { timeout: 600_000 }, () => {
  let folder: string;
  let url: string;
  let api: CloudflareApi;
  let lines: string[] = [];

  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ folder, url, api, end } = await openCloudflare());
  });
  afterAll(() => end());

  const run = (isDry: boolean, given: Partial<Record<SetupQuestion, string>> = { url }) => {
    lines = [];
    const ask = async (what: SetupQuestion, preset = '') => given[what] ?? preset;
    return setUp({ env: 'production', isDry, ask, say: (line) => lines.push(line), folder });
  };
  const text = () => lines.join('\n');
  const shown = (what: string) => new RegExp(`^${what} +(\\S+)$`, 'm').exec(text())?.[1] ?? '';
  const get = (path: string, token: string) => fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });

  it('refuses an example for an address, also from who only deploys', async () => {
    await expect(run(false, { url: 'https://tickreel.example.com' })).rejects.toThrow('only an example');
    // The Worker would refuse to start with it.
    await expect(run(false, { url, 'demo-domains': 'https://faceit.com' })).rejects.toThrow('must be domains');
    await expect(run(false, { url, jurisdiction: 'mars' })).rejects.toThrow('--jurisdiction mars: must be one of eu');
    await expect(run(false, { url, location: 'sam' })).rejects.toThrow('--location sam: must be one of wnam');
    await expect(run(false, { url, jurisdiction: 'us', location: 'enam' })).rejects.toThrow('Choose a jurisdiction or');
    const bare = deploy({ env: 'production', isDry: false, say: () => {}, folder });
    await expect(bare).rejects.toThrow('BASE_URL https://tickreel.example.com is only an example');
    expect(await readdir(folder)).toEqual([]);
    expect(api.asked).toEqual([]);
  });

  it('may be answered anew until something is made, and not after', async () => {
    api.cloud.denied.add('Workers Scripts');
    await expect(run(false, { url, name: 'taken', location: 'weur' })).rejects.toThrow('Authentication error');
    await expect(run(false, { url, name: 'free', jurisdiction: 'eu', location: '' })).rejects.toThrow('Authentication');
    const file = join(folder, 'deployment.production.json');
    const changes = JSON.parse(await readFile(file, 'utf8'));
    expect(changes).toMatchObject({
      name: 'free',
      vars: { JURISDICTION: 'eu' },
      d1_databases: [{ database_name: 'free' }],
    });
    expect(changes.vars).not.toHaveProperty('LOCATION_HINT');
    changes.d1_databases[0].database_id = crypto.randomUUID();
    await writeFile(file, JSON.stringify(changes));
    await expect(run(false, { jurisdiction: 'us' })).rejects.toThrow('cannot be changed');
    await expect(run(false, { name: 'other' })).rejects.toThrow('production is called free');
    api.cloud.denied.clear();
    await expect(run(false, {})).rejects.toThrow('which this Cloudflare account does not have');
    const [{ database_id: uuid }] = changes.d1_databases;
    api.cloud.databases.set('of-production', { uuid, jurisdiction: 'eu', running_in_region: 'WEUR' });
    await expect(run(false, {})).rejects.toThrow('is the database of-production, and database_name is free');
    api.cloud.databases.clear();
    await rm(file);
    await rm(join(folder, 'deployment.production.secrets.json'));
    await rm(join(folder, 'wrangler.production.json'));
    await rm(join(folder, '.gitignore'));
    api.asked.length = 0;
  });

  it('in a dry run of a first setup lists what it would create, and creates nothing', async () => {
    await run(true);
    expect(text()).toContain('database tickreel: would be made');
    expect(api.asked.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect([api.cloud.databases.size, api.cloud.buckets.size, await readdir(folder)]).toEqual([0, 0, []]);
  });

  it.runIf(isWhole)('continues after an interruption, and ends with working keys and a clip', async () => {
    api.fail('POST /r2/buckets');
    await expect(run(false)).rejects.toThrow(/^buckets: .*told to fail/s);
    expect([...api.cloud.databases.keys(), ...api.cloud.buckets.keys()]).toEqual(['tickreel']);
    await run(false, {});
    expect(text()).toContain('database tickreel: is there\nbucket tickreel-clips: is made');
    expect([api.cloud.databases.size, [...api.cloud.buckets.keys()]]).toEqual([
      1,
      ['default/tickreel-clips', 'default/tickreel-assets'],
    ]);
    const page = / (http\S+)$/.exec(text())?.[1] ?? '';
    expect((await fetch(page)).status).toBe(200);
    // A static asset.
    expect((await fetch(new URL('/openapi.json', page))).status).toBe(200);
    const account = shown('account');
    for (const kind of ['metered key', 'reserved key']) {
      expect((await get('/api/jobs', shown(kind))).status).toBe(200);
    }
    expect(shown('host token')).toMatch(/^tr_host_/);
    const kept = JSON.parse(await readFile(join(folder, 'deployment.production.secrets.json'), 'utf8'));
    expect((await stat(join(folder, 'deployment.production.secrets.json'))).mode & 0o777).toBe(0o600);
    const accounts = await (await get('/admin/accounts', kept.ADMIN_TOKEN)).json();
    expect(accounts).toMatchObject({ accounts: [{ account_id: account, name: 'tickreel' }] });
    expect(api.workers.secrets('tickreel').get('CLIP_ID_SECRET')).toBe(kept.CLIP_ID_SECRET);
    expect(api.workers.deployed(api.workers.find('tickreel')).bindings).toContainEqual({
      type: 'plain_text',
      name: 'BASE_URL',
      text: url,
    });
    expect(api.workers.find('tickreel').schedules).toEqual([{ cron: '*/5 * * * *' }]);
  });

  it.runIf(isWhole)('in a dry run reads the deployment, lists its steps, and changes nothing', async () => {
    const file = join(folder, 'deployment.production.json');
    const changes = JSON.parse(await readFile(file, 'utf8'));
    const [{ uuid: id } = { uuid: '' }] = api.cloud.databases.values();
    expect(changes.d1_databases).toEqual([{ binding: 'DB', database_name: 'tickreel', database_id: id }]);
    const deployed = api.workers.deployed(api.workers.find('tickreel'));
    deployed.bindings = deployed.bindings.filter(({ name }) => name !== 'METRICS_TOKEN');
    const before = api.asked.length;
    await run(true, {});
    expect(text()).toContain('database tickreel: is there');
    expect(text()).toContain('secret CLIP_ID_SECRET: is there\nsecret METRICS_TOKEN: would be set');
    expect(text()).toContain('Worker tickreel: would be deployed; it can be built');
    expect(text()).not.toMatch(/tr_(met|res|host)_/);
    expect(api.asked.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(changes);
  });

  it.runIf(isWhole)('is undone by --destroy, which counts what it removes', async () => {
    const options = { env: 'production', isDry: false, buckets: true, adopt: false, folder };
    lines = [];
    const undo = () => destroy({ ...options, say: (line) => lines.push(line), confirm: async () => 'tickreel' });
    await expect(undo()).rejects.toThrow('tickreel-clips and tickreel-assets had files');
    expect(text()).toContain('database tickreel (accounts: 1, jobs: 1, clips: 1): will be removed');
    for (const bucket of ['tickreel-clips', 'tickreel-assets']) await api.workers.expireFiles(bucket);
    await undo();
    expect([api.cloud.databases.size, api.cloud.buckets.size, api.workers.list()]).toEqual([0, 0, []]);
    expect((await readdir(folder)).filter((name) => /^deployment|^wrangler/.test(name))).toEqual([
      'deployment.production.json',
    ]);
  });
});
