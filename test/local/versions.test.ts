import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare';
import { afterEach, describe, expect, it } from 'vitest';
import { bundleWorker } from '../../local/bundle-worker.ts';
import { migrate } from '../../local/migrate.ts';
import { publicVariables } from '../../local/public-variables.ts';
import { RUNTIME } from '../../local/service.ts';
import { startStack } from '../../local/stack.ts';
import type { Grant } from '../../protocol/gateway.ts';
import { createApi } from '../conformance/support/api.ts';
import { createHost } from '../conformance/support/host.ts';

/**
 * The Worker that is deployed (`npm run freeze-worker` keeps it) beside the one in this checkout. During a deploy each
 * may call the objects of the other, and the index has its new shape before the last of the old is gone.
 */
const YESTERDAY = new URL('versions/worker.mjs.br', import.meta.url);
/** What its stack kept beside the stores of the runtime. */
const FROZEN_FOLDER = fileURLToPath(new URL('data-folders/2', import.meta.url));
const BUNDLES = {
  yesterday: () => brotliDecompressSync(readFileSync(YESTERDAY)).toString(),
  today: bundleWorker,
};
type Version = keyof typeof BUNDLES;

const ADMIN_TOKEN = 'an-admin-token-for-tests-of-32-chars';
const bindings = {
  BASE_URL: 'http://127.0.0.1',
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'error',
  ACCEPTED_DEMO_DOMAINS: 'demos.example.com',
  ADMIN_TOKEN,
  CLIP_ID_SECRET: 'a-secret-for-the-ids-of-clips-in-tests',
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-versions-'));
  open.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The service with the Worker of one version and the objects of another. */
async function start(worker: Version, objects: Version, folder: string) {
  const { durableObjects, ...rest } = RUNTIME;
  const classes = await BUNDLES[objects]();
  const part = async (name: string, version: Version): Promise<WorkerOptions> => ({
    name,
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await BUNDLES[version]() }],
    ...rest,
    bindings,
    durableObjects: Object.fromEntries(
      Object.entries(durableObjects)
        // Yesterday may not have had all of them; whoever asks for one then is answered that it is not there.
        .filter(([, { className }]) => classes.includes(className))
        .map(([binding, of]) => [binding, { ...of, scriptName: 'objects' }]),
    ),
  });
  const miniflare = new Miniflare({
    log: new Log(LogLevel.ERROR),
    cf: false,
    host: '127.0.0.1',
    port: 0,
    d1Persist: join(folder, 'd1'),
    r2Persist: join(folder, 'r2'),
    durableObjectsPersist: join(folder, 'objects'),
    workers: [await part('worker', worker), await part('objects', objects)],
  });
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await miniflare.dispose();
    isOpen = false;
  };
  open.push(stop);
  const baseUrl = (await miniflare.ready).toString().replace(/\/$/, '');
  await migrate(await miniflare.getD1Database('DB'));
  return { baseUrl, stop };
}

interface Keys {
  readonly key: string;
  readonly token: string;
}

async function createKeys(baseUrl: string, adminToken: string = ADMIN_TOKEN): Promise<Keys> {
  const admin = createApi(baseUrl, adminToken);
  const { account_id } = (await admin.post('/admin/accounts', { name: 'test' })).body;
  const { key } = (await admin.post(`/admin/accounts/${account_id}/keys`, { kind: 'metered' })).body;
  const { token } = (await admin.post('/admin/hosts', { name: 'test' })).body;
  return { key: String(key), token: String(token) };
}

const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001', extras: { order: 7 } };

async function claimOf(host: ReturnType<typeof createHost>, jobId: string): Promise<Grant> {
  const grant = await host.claim(25);
  expect(grant?.job_id).toBe(jobId);
  if (!grant) throw new Error('no work');
  return grant;
}

/** Every kind of call there is between a Worker and the objects, through the addresses that make it. */
async function live(baseUrl: string, { key, token }: Keys): Promise<void> {
  const api = createApi(baseUrl, key);
  const host = createHost(baseUrl, token);
  expect(await host.claim(0)).toBeNull();
  const jobId = await api.submit({ ...REQUEST, idempotency_key: 'one', webhook_url: 'http://127.0.0.1:9/hook' });
  expect((await api.post('/api/clips', { ...REQUEST, idempotency_key: 'one' })).status).toBe(200);
  await host.release(await claimOf(host, jobId));
  const lost = await claimOf(host, jobId);
  await host.begin(lost);
  await host.fail(lost, 'download_error');
  expect(await api.job(jobId)).toMatchObject({ status: 'retrying', error_code: 'download_error' });
  expect((await api.post(`/api/jobs/${jobId}/resubmit`)).status).toBe(200);
  const grant = await claimOf(host, jobId);
  await host.render(grant);
  await host.finish(grant);
  const { clip_id } = await api.job(jobId);
  expect(await api.job(jobId)).toMatchObject({ status: 'done', payload: { extras: '{"order":7}' } });
  expect(await api.clip(String(clip_id))).toMatchObject({ state: 'ready', is_saved: false, job_id: jobId });
  expect((await api.post(`/api/clips/${clip_id}/save`)).status).toBe(204);
  expect((await api.post(`/api/clips/${clip_id}/unsave`)).status).toBe(204);
  expect((await api.post(`/api/jobs/${jobId}/resend-webhook`)).status).toBe(200);
  const { deliveries } = (await api.get(`/api/jobs/${jobId}/deliveries`)).body as { deliveries: unknown[] };
  expect(deliveries).toMatchObject([{ event: 'job.completed' }, { event: 'job.completed' }]);
  expect((await api.get(`/api/jobs/${jobId}/events`)).text).toContain('"status":"done"');
  expect((await fetch(`${baseUrl}/clips/${clip_id}`)).status).toBe(200);
  expect((await fetch(`${baseUrl}/clips/${clip_id}/video.mp4`)).status).toBe(200);
  // The index follows the job.
  const listed = (path: string) => expect.poll(async () => (await api.get(path)).body);
  await listed('/api/usage').toMatchObject({ usage: [{ tier: 'metered', rendered_seconds: 7.5 }] });
  await listed('/api/clips?state=ready').toMatchObject({ clips: [{ id: clip_id }] });
  await listed('/api/jobs?status=done').toMatchObject({ jobs: [{ id: jobId }] });
  expect((await api.delete(`/api/clips/${clip_id}`)).status).toBe(204);
  expect((await fetch(`${baseUrl}/clips/${clip_id}`)).status).toBe(410);
}

/** A stack as yesterday ran it, on a folder that it has used before: one Worker, with all that it keeps in there. */
async function startYesterday(folder: string, admin: string) {
  const { durableObjects, ...rest } = RUNTIME;
  const bundle = BUNDLES.yesterday();
  const miniflare = new Miniflare({
    ...{ log: new Log(LogLevel.ERROR), cf: false as const, host: '127.0.0.1', port: 0, ...rest },
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: bundle }],
    bindings: { ...bindings, ADMIN_TOKEN: admin },
    durableObjects: Object.fromEntries(
      Object.entries(durableObjects).filter(([, { className }]) => bundle.includes(className)),
    ),
    d1Persist: join(folder, 'd1'),
    r2Persist: join(folder, 'r2'),
    durableObjectsPersist: join(folder, 'objects'),
  });
  const baseUrl = (await miniflare.ready).toString().replace(/\/$/, '');
  await migrate(await miniflare.getD1Database('DB'));
  return { baseUrl, stop: () => miniflare.dispose() };
}

it("yesterday's data folder is brought up to date in place, by a stack that serves others", async () => {
  const folder = await dataFolder();
  await cp(FROZEN_FOLDER, folder, { recursive: true });
  const frozen = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  const before = await startYesterday(folder, frozen.admin_token);
  const keys = await createKeys(before.baseUrl, frozen.admin_token);
  const api = createApi(before.baseUrl, keys.key);
  const host = createHost(before.baseUrl, keys.token);
  const done = await api.submit(REQUEST);
  const grant = await claimOf(host, done);
  await host.begin(grant);
  await host.finish(grant);
  const { clip_id } = await api.job(done);
  expect((await api.post(`/api/clips/${clip_id}/save`)).status).toBe(204);
  const waits = await api.submit(REQUEST);
  await before.stop();
  // What only a folder that yesterday's stack had started would say: the secret that ids of clips are computed under.
  const credentials = { ...frozen, clip_id_secret: bindings.CLIP_ID_SECRET };
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials));

  const served = publicVariables('https://clips.somebody.dev', { demoDomains: 'example.com' });
  const variables = { ...served, LOG_LEVEL: 'error' };
  const today = await startStack({ port: 0, dataDir: folder, hosts: 0, timeScale: 1, logLevel: 'silent', variables });
  open.push(today.stop);
  expect(today.credentials).toEqual(credentials);
  const now = createApi(today.baseUrl, keys.key);
  expect(await now.clip(String(clip_id))).toMatchObject({ state: 'ready', is_saved: true, job_id: done });
  expect((await fetch(`${today.baseUrl}/clips/${clip_id}/video.mp4`)).status).toBe(200);
  await expect
    .poll(async () => (await now.get('/api/jobs')).body)
    .toMatchObject({ jobs: [{ id: waits }, { id: done }] });
  const hostNow = createHost(today.baseUrl, keys.token);
  const next = await claimOf(hostNow, waits);
  await hostNow.begin(next);
  await hostNow.finish(next);
  expect(await now.job(waits)).toMatchObject({ status: 'done' });
  expect((await now.post(`/api/jobs/${done}/resubmit`)).status).toBe(200);
});

describe('during a deploy', () => {
  it.each([
    { worker: 'yesterday', objects: 'today' },
    { worker: 'today', objects: 'yesterday' },
  ] as const)("$worker's Worker lives a whole job with $objects's objects", async ({ worker, objects }) => {
    const { baseUrl } = await start(worker, objects, await dataFolder());
    await live(baseUrl, await createKeys(baseUrl));
  });

  it("yesterday's job goes on today, and a rollback waits for today's objects instead of breaking them", async () => {
    const folder = await dataFolder();
    const before = await start('yesterday', 'yesterday', folder);
    const keys = await createKeys(before.baseUrl);
    const jobId = await createApi(before.baseUrl, keys.key).submit(REQUEST);
    await before.stop();
    const after = await start('today', 'today', folder);
    const host = createHost(after.baseUrl, keys.token);
    const grant = await claimOf(host, jobId);
    await host.begin(grant);
    await host.finish(grant);
    expect(await createApi(after.baseUrl, keys.key).job(jobId)).toMatchObject({ status: 'done' });
    await after.stop();
    const back = await start('yesterday', 'yesterday', folder);
    const { status, body } = await createApi(back.baseUrl, keys.key).get(`/api/jobs/${jobId}`);
    if (status === 200) expect(body).toMatchObject({ status: 'done' });
    else expect(status).toBe(503);
  });
});
