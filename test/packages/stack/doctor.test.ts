import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Unstable_Config as DeployConfig, unstable_readConfig as readConfig } from 'wrangler';
import { checkConfig } from '#stack/check-config.ts';
import { writeJson } from '#stack/data-lock.ts';
import { changesFor, filesOf } from '#stack/deployment.ts';
import { checkDeployed, doctor } from '#stack/doctor.ts';
import { listenOn } from '#stack/listen.ts';
import { startTestStack } from '../../support/test-stack.ts';

const config = readConfig({ config: 'wrangler.toml' });
const ready = {
  ...config,
  vars: { ...config.vars, BASE_URL: 'https://clips.tickreel.dev', ABUSE_URL: 'mailto:abuse@tickreel.dev' },
  d1_databases: [{ binding: 'DB', database_id: '11111111-1111-4111-8111-111111111111' }],
};
const wrongOf = (one: DeployConfig) =>
  checkConfig(one)
    .filter(({ isWell }) => !isWell)
    .map(({ what }) => what);

describe('npm run doctor', () => {
  it('finds in the configuration of this checkout only what an operator has to fill in', () => {
    expect(wrongOf(config)).toEqual(['address https://tickreel.example.com', 'a link for reports']);
    expect(wrongOf(ready)).toEqual([]);
  });

  it.each<[string, Partial<DeployConfig>]>([
    ['cron every five minutes', { triggers: { crons: [] } }],
    ['flag enable_request_signal', { compatibility_flags: ['global_fetch_strictly_public'] }],
    ['compatibility date 2024-01-01', { compatibility_date: '2024-01-01' }],
    [
      'bucket ASSETS',
      { r2_buckets: config.r2_buckets.filter((one: { readonly binding: string }) => one.binding === 'CLIPS') },
    ],
    ['one jurisdiction for objects and buckets', { vars: { ...ready.vars, JURISDICTION: 'eu' } }],
    ['database DB', { d1_databases: [] }],
    ['no secret in the configuration', { vars: { ...ready.vars, ADMIN_TOKEN: 'x'.repeat(32) } }],
    ['no log line for each invocation', { observability: { logs: { invocation_logs: true } } }],
    ['a purge for the media host', { vars: { ...ready.vars, MEDIA_BASE_URL: 'https://media.tickreel.dev' } }],
    ['a log line for few requests', { vars: { ...ready.vars, LOG_SAMPLE: '1' } }],
    ['a limit of CPU time', { limits: { subrequests: 10_000 } }],
    ['10000 subrequests', { limits: { cpu_ms: 15_000, subrequests: 1000 } }],
    ['a domain of its own', { vars: { ...ready.vars, BASE_URL: 'https://tickreel.me.workers.dev' } }],
    ['a link for reports', { vars: { BASE_URL: 'https://clips.tickreel.dev' } }],
  ])('says that this is wrong: %s', (what, change) => {
    expect(wrongOf({ ...ready, ...change })).toEqual([what]);
  });

  it('has a running service make a clip, and names what is wrong', async () => {
    const stack = await startTestStack({ variables: { METRICS_TOKEN: 'too-short' } });
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    onTestFinished(async () => {
      await stack.remove();
      await rm(folder, { recursive: true, force: true });
    });
    const deployment = { env: 'production', folder };
    await expect(doctor(deployment)).rejects.toThrow('Make it with: npm run setup -- --env production');
    writeJson(filesOf(deployment).changes, changesFor('tickreel', { BASE_URL: stack.baseUrl }));
    const running = { url: stack.baseUrl, adminToken: stack.credentials.admin_token, deployed: false };
    const { report, isWell } = await doctor({ ...deployment, ...running });
    expect(isWell).toBe(false);
    expect(report).toMatch(/WRONG +database DB: it is not made yet/);
    expect(report).toMatch(/WRONG +METRICS_TOKEN of the service: .*it is ignored/);
    expect(report).toMatch(/warning +a link for reports: set ABUSE_URL/);
    expect(report).toMatch(/ok +a clip: http:.*\/clips\/[0-9a-f-]{36}$/m);

    const elsewhere = { url: 'http://127.0.0.1:9', adminToken: 'a-token', deployed: false };
    expect((await doctor({ ...deployment, ...elsewhere })).report).toMatch(/WRONG +a clip at http/);
  });
});

/** A fake of wrangler's view of the platform: secrets, and migrations. */
describe('npm run doctor of what is deployed', () => {
  const written = readdirSync('migrations').filter((name) => name.endsWith('.sql'));
  const state = { secrets: [''], migrations: written, refuses: false };
  const api = createServer((request, response) => {
    const isSecrets = request.url?.endsWith('/secrets');
    const names = isSecrets ? state.secrets : state.migrations;
    const rows = names.map((name) => (isSecrets ? { name, type: 'secret_text' } : { name }));
    const answer = isSecrets ? rows : [{ success: true, meta: { duration: 1 }, results: rows }];
    const refused = { success: false, errors: [{ code: 10_000, message: 'Authentication error' }], result: null };
    response.writeHead(state.refuses ? 403 : 200, { 'Content-Type': 'application/json' });
    request.resume().on('end', () => {
      response.end(
        JSON.stringify(state.refuses ? refused : { success: true, errors: [], messages: [], result: answer }),
      );
    });
  });

  beforeAll(async () => {
    const port = await listenOn(api, 0);
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://127.0.0.1:${port}/client/v4`);
    vi.stubEnv('CLOUDFLARE_API_TOKEN', 'a-token');
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'a'.repeat(32));
    vi.stubEnv('WRANGLER_SEND_METRICS', 'false');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    api.close();
  });
  afterEach(() => Object.assign(state, { secrets: [], migrations: written, refuses: false }));

  const wrong = async (one: DeployConfig = ready) =>
    (await checkDeployed(one, 'wrangler.toml'))
      .filter(({ isWell }) => !isWell)
      .map(({ what, advice }) => `${what}: ${advice}`);

  it('lists missing secrets and pending migrations', async () => {
    state.secrets = ['ADMIN_TOKEN'];
    state.migrations = written.slice(0, -1);
    const vars = { ...ready.vars, PURGE_ZONE_ID: 'f'.repeat(32), LIMIT_JOB: '7' };
    expect(await wrong({ ...ready, vars })).toEqual([
      'secret CLIP_ID_SECRET: npm run deploy -- --secret CLIP_ID_SECRET',
      'variable PURGE_TOKEN: is missing; PURGE_ZONE_ID cannot be used without it: npm run deploy -- --secret PURGE_TOKEN',
      'variable LIMIT_JOB: is no variable of the service: did you mean LIMIT_JOBS?',
      'migrations of DB: npm run deploy applies those missing',
    ]);
  });

  it('reports a refusal with the platform’s message', async () => {
    state.refuses = true;
    expect(await wrong()).toEqual([
      expect.stringMatching(/^secrets: they could not be looked at: .*scripts.* failed\.\s+Authentication error \[/s),
      expect.stringMatching(
        /^migrations of DB: they could not be looked at: .*query.* failed\..*Authentication error \[/s,
      ),
    ]);
  });
});
