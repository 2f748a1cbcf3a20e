import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCredentials, loadSecrets } from '#stack/credentials.ts';
import { freePort, type LocalService, startService } from '#stack/service.ts';

const OWN = ['https://media.example.org', 'https://tickreel.somebody.workers.dev'];

let dataDir: string;
let service: LocalService;
let key: string;
let adminToken: string;

/** The service with the variables of a deployment: nothing private is called. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-hostile-'));
  const secrets = loadSecrets(dataDir);
  adminToken = secrets.admin_token;
  service = await startService({
    fenceFloor: 0,
    port: await freePort(0),
    dataDir,
    timeScale: 1,
    secrets,
    variables: {
      ENVIRONMENT: 'production',
      ACCEPTED_DEMO_DOMAINS: '*',
      LOG_LEVEL: 'error',
      BASE_URL: 'https://clips.example.net',
      MEDIA_BASE_URL: OWN[0] ?? '',
      OWN_ORIGINS: OWN[1] ?? '',
    },
    onRuntime: () => {},
  });
  key = (await loadCredentials(dataDir, service.baseUrl, secrets)).metered_key;
});

afterAll(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** One of each kind. Their spellings are in test/core/domain/public-host.test.ts and address-policy.test.ts. */
const HOSTILE_URLS = [
  ...['http://localhost/x', 'http://2130706433/x', 'http://[::ffff:10.0.0.1]/x', 'http://169.254.169.254:8443/x'],
  ...['http://printer.local/x', 'https://demos.example.org:22/x'],
  ...['https://clips.example.net', ...OWN].map((origin) => `${origin}/api/clips`),
];

const submit = (fields: object) => post('/api/clips', key, { steam64_id: '76561198000000001', ...fields });

async function post(path: string, token: string, body: object) {
  const response = await fetch(service.baseUrl + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('in the configuration of a deployment', () => {
  it.each(HOSTILE_URLS)('%s is refused as a webhook, and fails its job at once as a demo', async (url) => {
    const demo_url = 'https://demos.example.org/match.dem';
    expect((await submit({ demo_url, webhook_url: url })).status).toBe(400);
    const { status, body } = await submit({ demo_url: url });
    expect(status).toBe(201);
    const headers = { Authorization: `Bearer ${key}` };
    const job = await fetch(`${service.baseUrl}/api/jobs/${body.job_id}`, { headers });
    expect(await job.json()).toMatchObject({ status: 'error', error_code: 'demo_url_rejected' });
  });

  it('an IP address is refused for a webhook, a test of one and a push host, with field and rule', async () => {
    const url = 'https://93.184.216.34/hook';
    const message = 'must have a host name: a deployed service cannot call an IP address';
    const refused = { status: 400, body: { errors: [{ path: 'webhook_url', message }] } };
    expect(await submit({ demo_url: 'https://demos.example.org/match.dem', webhook_url: url })).toMatchObject(refused);
    expect(await post('/api/webhooks/test', key, { webhook_url: url })).toMatchObject(refused);
    const capabilities = { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null };
    const host = { name: 'gpu', push: { url, slots: 1, capabilities } };
    const { status, body } = await post('/admin/hosts', adminToken, host);
    expect([status, body.errors]).toEqual([400, [{ path: 'push.url', message }]]);
  });

  it('a public address is taken for both', async () => {
    const url = 'https://files.example.org:8443/x';
    const { status, body } = await submit({ demo_url: url, webhook_url: 'http://files.example.org/hook' });
    expect(status, JSON.stringify(body)).toBe(201);
  });
});
