import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketsOf, changesFor, configOf, domainsOf } from '#stack/deployment.ts';
import { addressFault } from '#stack/public-variables.ts';
import { type QUESTIONS, setUp } from '#stack/setup.ts';
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
    ['https://clips.somebody.dev', false, [{ hostname: 'clips.somebody.dev' }]],
    ['https://tickreel.somebody.workers.dev', true, []],
  ])(
    'is where the Worker is routed to, and the name on workers.dev is off beside a domain: %s',
    (url, isOn, routes) => {
      const changes = changesFor('tickreel', { BASE_URL: url });
      expect([configOf(changes).workers_dev, domainsOf(changes)]).toEqual([isOn, routes]);
    },
  );
});

it('the variables of a deployment are added to those of wrangler.toml, and other keys replace them', () => {
  const vars = { BASE_URL: 'https://s.somebody.dev', JURISDICTION: 'eu' };
  const plain = configOf(changesFor('tickreel', { BASE_URL: 'https://clips.somebody.dev' }));
  const r2_buckets = bucketsOf('tickreel-staging');
  const staging = configOf({ ...changesFor('tickreel-staging', vars), r2_buckets, limits: { cpu_ms: 9 } });
  expect(staging).toMatchObject({
    name: 'tickreel-staging',
    vars: { ...vars, CLIP_TTL_DAYS: '30', LOG_LEVEL: 'info' },
    d1_databases: [{ binding: 'DB', database_name: 'tickreel-staging' }],
    r2_buckets: [
      { binding: 'CLIPS', bucket_name: 'tickreel-staging-clips', jurisdiction: 'eu' },
      { binding: 'ASSETS', bucket_name: 'tickreel-staging-assets', jurisdiction: 'eu' },
    ],
    durable_objects: plain.durable_objects,
    migrations: plain.migrations,
  });
  expect(staging.limits).toEqual({ cpu_ms: 9 });
  expect(staging.d1_databases[0]).not.toHaveProperty('database_id');
  // Counted by number in the whole account, so staging's must differ from production's.
  const numbers = (of: typeof plain) => (of.ratelimits as { namespace_id: string }[]).map((rate) => rate.namespace_id);
  expect(new Set([...numbers(plain), ...numbers(staging)]).size).toBe(4);
});

/** `npx node test/soak/cli.ts setup` runs all steps: each is some processes of wrangler. */
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

  const run = (dryRun: boolean, given: Partial<Record<keyof typeof QUESTIONS, string>> = { url }) => {
    lines = [];
    const ask = async (what: keyof typeof QUESTIONS, preset = '') => given[what] ?? preset;
    const options = { env: 'production', dryRun, adopt: false, takeOver: false, folder };
    return setUp({ ...options, ask, say: (line) => lines.push(line) });
  };
  const text = () => lines.join('\n');
  const shown = (what: string) => new RegExp(`^${what} +(\\S+)$`, 'm').exec(text())?.[1] ?? '';
  const get = (path: string, token: string) => fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
  const file = () => join(folder, 'deployment.production.json');
  const secrets = () => join(folder, 'deployment.production.secrets.json');

  it('refuses an example for an address and wrong answers, and writes nothing', async () => {
    await expect(run(false, { url: 'https://tickreel.example.com' })).rejects.toThrow('only an example');
    await expect(run(false, {})).rejects.toThrow('is not an address such as');
    // The Worker would refuse to start with it.
    await expect(run(false, { url, demoDomains: 'https://faceit.com' })).rejects.toThrow('ACCEPTED_DEMO_DOMAINS');
    await expect(run(false, { url, abuseUrl: 'somebody' })).rejects.toThrow('ABUSE_URL');
    await expect(run(false, { url, jurisdiction: 'us' })).rejects.toThrow('JURISDICTION');
    await expect(run(false, { url, location: 'mars' })).rejects.toThrow('LOCATION_HINT');
    expect(await readdir(folder)).toEqual([]);
    expect(api.asked).toEqual([]);
  });

  it('may be answered anew until something is made, and not after', async () => {
    api.cloud.denied.add('D1');
    await writeFile(join(folder, '.gitignore'), 'node_modules');
    await expect(run(false, { url, name: 'taken', location: 'weur' })).rejects.toThrow('Authentication error');
    const given = { url, name: 'free', jurisdiction: 'eu', location: '', abuseUrl: 'mailto:a@somebody.dev' };
    await expect(run(false, given)).rejects.toThrow('Authentication');
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe(
      'node_modules\ndeployment.*.secrets.json\nwrangler.*.json\n*.new\n',
    );
    const changes = JSON.parse(await readFile(file(), 'utf8'));
    expect(changes).toMatchObject({ name: 'free', d1_databases: [{ database_name: 'free' }] });
    expect(changes.vars).toEqual({ BASE_URL: url, JURISDICTION: 'eu', ABUSE_URL: 'mailto:a@somebody.dev' });
    changes.d1_databases[0].database_id = crypto.randomUUID();
    await writeFile(file(), JSON.stringify(changes));
    await expect(run(false, { jurisdiction: 'fedramp' })).rejects.toThrow('cannot be changed');
    await expect(run(false, { name: 'other' })).rejects.toThrow('cannot be changed');
    api.cloud.denied.clear();
    for (const path of await readdir(folder)) await rm(join(folder, path), { recursive: true });
    api.asked.length = 0;
  });

  it('in a dry run of a first setup lists what it would do, and does nothing', async () => {
    await run(true);
    expect(text()).toContain('would run: wrangler d1 create tickreel\n');
    expect(api.asked.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect([api.cloud.databases.size, api.cloud.buckets.size, await readdir(folder)]).toEqual([0, 0, []]);
  });

  it.runIf(isWhole)('continues after an interruption, and ends with working keys and a clip', async () => {
    api.fail('POST /d1/database');
    await expect(run(false)).rejects.toThrow(/^wrangler d1 create.*told to fail/s);
    await run(false, {});
    expect(text()).not.toContain('r2 bucket create');
    expect([api.cloud.databases.size, [...api.cloud.buckets.keys()]]).toEqual([
      1,
      ['default/tickreel-clips', 'default/tickreel-assets'],
    ]);
    const page = /clip +(http\S+)/.exec(text())?.[1] ?? '';
    expect((await fetch(page)).status).toBe(200);
    // A static asset.
    expect((await fetch(new URL('/openapi.json', page))).status).toBe(200);
    expect(text()).toMatch(/warning +a link for reports/);
    expect(text()).not.toContain('WRONG');
    const account = shown('account');
    for (const kind of ['metered key', 'reserved key']) {
      expect((await get('/api/jobs', shown(kind))).status).toBe(200);
    }
    expect(shown('host token')).toMatch(/^tr_host_/);
    const kept = JSON.parse(await readFile(secrets(), 'utf8'));
    expect((await stat(secrets())).mode & 0o777).toBe(0o600);
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

  it.runIf(isWhole)('in a dry run of a deployment changes nothing', async () => {
    const before = [await readFile(file(), 'utf8'), api.asked.length] as const;
    await run(true, {});
    expect(lines.filter((line) => line.startsWith('would run'))).toEqual([
      'would run: wrangler d1 migrations apply DB --remote',
      expect.stringMatching(/^would run: wrangler deploy/),
    ]);
    expect(text()).not.toMatch(/tr_(met|res|host)_/);
    expect(api.asked.slice(before[1]).filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(await readFile(file(), 'utf8')).toBe(before[0]);
  });
});
