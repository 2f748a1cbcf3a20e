import { createExecutionContext } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { createAccount, createHost } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { PICTURES } from '../support/pictures.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, roundRequest, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const settings = bindings as unknown as { LOG_LEVEL: string };
const { LOG_LEVEL } = settings;

afterEach(() => {
  settings.LOG_LEVEL = LOG_LEVEL;
  vi.restoreAllMocks();
});

it('a request has lines of the Worker and the object, under the id in its answer', async () => {
  const { metered, id: account } = await createAccount();
  const host = await createHost();
  settings.LOG_LEVEL = 'info';
  const written = vi.spyOn(console, 'info').mockReturnValue();
  const response = await sendJson(metered, 'POST', '/api/clips', roundRequest());
  const { job_id: job } = await response.json<{ job_id: string }>();
  const grant = await host.claimJob(job);
  const failed = await host.report(grant, 'fail', {
    code: 'demo_404',
    detail: 'https://demos.example.com/a?sig=secret',
  });

  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line))).filter((line) => line.job === job);
  const changes = lines.filter(({ message }) => message === 'job changed');
  expect(changes.map(({ from, to }) => [from, to])).toEqual([
    [null, 'pending'],
    ['pending', 'prefetch'],
    ['prefetch', 'error'],
  ]);
  expect(changes[0]).toMatchObject({
    level: 'info',
    account,
    run: 1,
    requestId: response.headers.get('X-Request-Id'),
  });
  expect(changes[2]).toMatchObject({ fence: 1, errorCode: 'demo_404', requestId: failed.headers.get('X-Request-Id') });
  expect(JSON.stringify(lines)).not.toContain('secret');
});

/** Collects all console output from now on. */
function listen(): () => string {
  settings.LOG_LEVEL = 'info';
  const consoles = (['debug', 'error', 'info', 'log', 'warn'] as const).map((level) =>
    vi.spyOn(console, level).mockReturnValue(),
  );
  return () => JSON.stringify(consoles.flatMap(({ mock }) => mock.calls));
}

it('no line has a key, a header, a parameter of SQL or the query of an address, whatever fails', {
  tags: ['long'],
}, async () => {
  const { metered, id: account } = await createAccount();
  const host = await createHost();
  const written = listen();
  const faulty = createFaultyService();
  const secrets = {
    demo: 'signature-of-the-demo',
    webhook: 'token-of-the-webhook',
    authorization: 'Bearer header-of-the-webhook',
    idempotency: 'idempotency-key-of-the-client',
    image: `name-of-the-image-${metered}`,
    url: 'signature-in-a-detail',
  };

  // First the lookup of a key fails, then a statement with client data among its parameters.
  faulty.fail('DB', SAYS.d1[0]);
  expect((await faulty.send(metered, 'GET', '/api/jobs')).status).toBe(503);
  expect((await faulty.send(metered, 'GET', '/api/jobs')).status).toBe(200);
  await faulty.service.controls.read();
  faulty.fail('DB', SAYS.d1[1]);
  const upload = new Request(`${BASE_URL}/api/assets?kind=watermark&name=${secrets.image}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${metered}`, 'Content-Type': 'image/png' },
    body: PICTURES.png,
  });
  expect((await createApp(faulty.service)(upload, createExecutionContext())).status).toBe(503);

  const inbox = createInbox('500');
  const webhooks = [inbox.url, 'http://127.0.0.1:9/closed?x=1'];
  for (const webhook of webhooks) {
    const job = await submit(metered, {
      demo_url: `https://demos.example.com/match.dem?X-Amz-Signature=${secrets.demo}`,
      webhook_url: `${webhook}&token=${secrets.webhook}`,
      webhook_auth_header: secrets.authorization,
      idempotency_key: `${secrets.idempotency}-${crypto.randomUUID()}`,
    });
    const grant = await host.claimJob(job);
    // The projection of the outcome fails, with the job's row for parameters.
    await faulty.inside(job);
    faulty.fail('DB', SAYS.d1[2]);
    await host.report(grant, 'fail', {
      code: 'demo_url_rejected',
      detail: `https://demos.example.com/a.dem?sig=${secrets.url} leads to http://127.0.0.1/?sig=${secrets.url}`,
    });
    await expect
      .poll(async () => (await sendJson(metered, 'GET', `/api/jobs/${job}/deliveries`)).text())
      .toMatch(/"attempts":\[\{.*"error":"(?!no outcome)/);
    await expect.poll(written).toContain(`\\"job\\":\\"${job}\\",\\"effect\\":\\"project\\"`);
  }
  expect(await inbox.received()).not.toHaveLength(0);

  faulty.fail('DB', SAYS.d1[3]);
  // The platform logs errors that the cron throws.
  const thrown = await runUpkeep(faulty.service, Date.now()).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);

  const lines = `${written()} ${(thrown as Error).stack}`;
  expect(lines).toContain(account);
  for (const secret of [...Object.values(secrets), metered, host.token, ADMIN_TOKEN]) {
    expect(lines).not.toContain(secret.replace(/^Bearer /, ''));
  }
  // The message of drizzle has the parameters of the failed statement.
  expect(lines).not.toMatch(/params:/i);
});

it('no line has the key or a byte of an uploaded image, whatever fails', async () => {
  const { metered, id: account } = await createAccount();
  const host = await createHost();
  const written = listen();
  const faulty = createFaultyService();
  const upload = async () => {
    const headers = { Authorization: `Bearer ${metered}`, 'Content-Type': 'image/png' };
    const request = new Request(`${BASE_URL}/api/assets?kind=watermark`, {
      method: 'POST',
      headers,
      body: PICTURES.png,
    });
    return createApp(faulty.service)(request, createExecutionContext());
  };
  faulty.fail('ASSETS.put', `put: ${SAYS.r2.internal}`);
  expect((await upload()).status).toBe(503);
  faulty.fail('ASSETS.put', 'put: something that nobody has a word for');
  expect((await upload()).status).toBe(500);
  faulty.fail('DB', SAYS.d1[1]);
  expect((await upload()).status).toBe(503);
  const { id: image } = await (await upload()).json<{ id: string }>();

  const job = await submit(metered, { watermark_image_id: image });
  const grant = await host.claimJob(job);
  const path = `/gateway/v1/jobs/${job}/assets/watermark?fence=${grant.lease.fence}`;
  faulty.fail('ASSETS.get', 'get: something that nobody has a word for');
  expect((await faulty.send(host.token, 'GET', path)).status).toBe(500);
  const sent = await faulty.send(host.token, 'GET', path);
  expect(new Uint8Array(await sent.arrayBuffer())).toEqual(PICTURES.png);
  expect((await faulty.send(metered, 'DELETE', `/api/assets/${image}`)).status).toBe(204);

  const lines = written();
  expect(lines).toContain('nobody has a word for');
  const { png } = PICTURES;
  const bytes = {
    text: 'IHDR',
    base64: btoa(String.fromCharCode(...png.subarray(12, 24))),
    hex: [...png.subarray(12, 24)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    list: png.subarray(12, 24).join(),
    entries: `12\\":${png[12]},\\"13\\":${png[13]}`,
  };
  for (const told of [...Object.values(bytes), `assets/${account}`, `${account}/${image}`]) {
    expect(lines).not.toContain(told);
  }
});

async function linesOf(requests: number, LOG_SAMPLE: string, path = '/robots.txt'): Promise<unknown[]> {
  const lines: unknown[] = [];
  let drawn = 0;
  const service = createService({ ...bindings, LOG_SAMPLE } as typeof bindings);
  const app = createApp({
    ...service,
    // The sample is evenly spread.
    random: () => (drawn++ % 100) / 100,
    log: (message, fields, level) => lines.push({ message, level, ...fields }),
  });
  for (let i = 0; i < requests; i++) {
    await app(new Request(`${BASE_URL}${path}?key=secret`), createExecutionContext());
  }
  return lines;
}

describe('requests', () => {
  it('have a line each for one in a hundred, without what may be secret', async () => {
    const lines = await linesOf(200, '0.01');
    expect(lines).toMatchObject([
      { message: 'request answered', level: 'info', method: 'GET', path: '/robots.txt', status: 200 },
      {},
    ]);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('have none of a key that somebody has put into the path', async () => {
    const path = `/api/keys/tr_met_${'x'.repeat(38)}`;
    expect(await linesOf(1, '1', path)).toMatchObject([{ path: '/api/keys/tr_met_…', status: 405 }]);
  });

  it('have none if the sample is zero', async () => {
    expect(await linesOf(200, '0')).toEqual([]);
  });
});
