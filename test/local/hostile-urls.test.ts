import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCredentials, loadSecrets } from '../../local/credentials.ts';
import { freePort, type LocalService, startService } from '../../local/service.ts';
import { HOSTILE_HOSTS } from '../domain/hostile-hosts.ts';

const OWN = ['https://media.example.org', 'https://tickreel.somebody.workers.dev'];

let dataDir: string;
let service: LocalService;
let key: string;

/** The service with the variables of a deployment: nothing private is called. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-hostile-'));
  const secrets = await loadSecrets(dataDir);
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

const hosts = Object.values(HOSTILE_HOSTS).flatMap((group) => group.split(' '));
const own = ['https://clips.example.net', ...OWN].flatMap((origin) => {
  const { host } = new URL(origin);
  return [
    origin,
    `http://${host}`,
    `https://${host.toUpperCase()}.`,
    `https://${host}:443/api/clips`,
    `http://${host}:443`,
  ];
});
const ports = [1, 7, 21, 22, 23, 25, 53, 110, 111, 135, 139, 143, 179, 389, 445, 465, 514, 587, 993, 1023];
const HOSTILE_URLS = [
  ...hosts.map((host) => `http://${host}/x`),
  ...hosts.slice(0, 20).map((host) => `https://${host}:8443/x`),
  ...own,
  ...ports.map((port) => `https://demos.example.org:${port}/x`),
  'file:///etc/passwd ftp://example.org/x gopher://example.org/ javascript:alert(1) data:text/plain,x',
  'https://user:secret@example.org/x',
  'https://:@example.org/',
  'http:\\\\127.0.0.1\\x',
  'http://example.org:99999/',
  'https:///x',
].flatMap((text) => (text.startsWith('file') ? text.split(' ') : [text]));

async function submit(fields: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.baseUrl}/api/clips`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ steam64_id: '76561198000000001', ...fields }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A few at a time. */
async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) done.push(await work(item));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return done;
}

describe('in the configuration of a deployment', () => {
  it('no hostile address is taken for a webhook', async () => {
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(150);
    const demo_url = 'https://demos.example.org/match.dem';
    const answers = await eachOf(HOSTILE_URLS, async (url) => ({
      url,
      ...(await submit({ demo_url, webhook_url: url })),
    }));
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
  });

  it('no hostile address is taken for a demo: no such URL is 400, any other fails its job at once', async () => {
    const outcomes = await eachOf(HOSTILE_URLS, async (demo_url) => {
      const { status, body } = await submit({ demo_url });
      if (status === 400) return { demo_url, outcome: 400 };
      const job = await fetch(`${service.baseUrl}/api/jobs/${body.job_id}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const { status: state, error_code } = (await job.json()) as Record<string, unknown>;
      return { demo_url, outcome: `${state} ${error_code}` };
    });
    const through = outcomes.filter(({ outcome }) => outcome !== 400 && outcome !== 'error demo_url_rejected');
    expect(through).toEqual([]);
  });

  it('a public address is taken for both', async () => {
    const url = 'https://files.example.org:8443/x';
    const { status, body } = await submit({ demo_url: url, webhook_url: 'http://files.example.org/hook' });
    expect(status, JSON.stringify(body)).toBe(201);
  });
});
