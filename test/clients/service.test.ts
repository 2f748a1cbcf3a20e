import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { newKey } from '#client/transport.ts';
import { ERROR_CODE_LIST } from '#domain/failure/codes.ts';
import { startReceiver } from '../support/receiver.ts';
import { SHORT_MATCH, serveShortDemo } from '../support/short-demo.ts';
import { startTestStack, type TestStack } from '../support/test-stack.ts';
import { LANGUAGES_HERE, startDriver } from './driver.ts';
import type { Task } from './protocol.ts';
import { type Place, SERVICE_CASES } from './service-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'tickreel-clients-'));
const drivers = LANGUAGES_HERE.map((language) => ({ language, driver: startDriver(language) }));
const stops: (() => unknown)[] = [
  () => rmSync(folder, { recursive: true }),
  ...drivers.map(({ driver }) => driver.stop),
];

interface RunningService {
  readonly client: Task['client'];
  /** The client of a service that works on no job. */
  readonly idle: Task['client'];
  readonly place: Place;
}

let live: RunningService;
let test: RunningService;
let operator: TickreelOperator;

const demoAt = (name: string) => ({
  demo_url: `https://demo.test/${name}.dem`,
  steam64_id: '76561199990417263',
  round: 2,
});

beforeAll(async () => {
  const demo = await serveShortDemo(folder);
  const [withHost, without] = await Promise.all([1, 0].map((hosts) => startTestStack({ hosts, timeScale: 0.001 })));
  if (!withHost || !without) throw new Error('a stack is missing');
  stops.push(withHost.remove, without.remove, demo.stop);
  const clientOf = ({ baseUrl }: TestStack, key: string) => ({ base_url: baseUrl, api_key: key, keeps_waits: true });
  const bystander = SHORT_MATCH.players[9]?.steamId ?? '';
  const idle = clientOf(without, without.credentials.metered_key);
  const files = { demo: demo.path, folder };
  live = {
    client: clientOf(withHost, withHost.credentials.metered_key),
    idle,
    place: {
      ok: demo.request,
      endless: demo.request,
      ...files,
      failing: {
        no_kills_found: { ...demo.request, steam64_id: bystander },
        demo_404: { ...demo.request, demo_url: `${demo.request.demo_url}.gz` },
      },
    },
  };
  const testing = clientOf(without, without.credentials.test_key ?? '');
  test = {
    client: testing,
    idle: testing,
    place: {
      ok: demoAt('ok'),
      endless: demoAt('slow'),
      ...files,
      failing: Object.fromEntries(ERROR_CODE_LIST.map((code) => [code, demoAt(code)])),
    },
  };
  operator = createTickreelOperator({ baseUrl: without.baseUrl, adminToken: without.credentials.admin_token });
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

describe.each(drivers)('the client of $language', ({ driver }) => {
  describe.each([
    ['a service with a render host', () => live],
    ['a test key', () => test],
  ])('with %s', (_, worldOf) => {
    it.each(SERVICE_CASES)('$name', async ({ check, isIdle }) => {
      const world = worldOf();
      const client = isIdle ? world.idle : world.client;
      await check((call) => driver.run({ client, call }), world.place);
    });
  });

  it('takes the webhook that the service signs, and no other', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const { account_id } = await operator.call('createAccount', { body: { name: newKey() } });
    const { key } = await operator.call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    const { webhooks } = createTickreel({ baseUrl: live.idle.base_url, apiKey: key });
    const { secret } = await webhooks.secrets.create();
    await webhooks.test({ webhook_url: receiver.url });
    const { headers, text, body } = await receiver.arrival(0);
    const unwrap = (raw: string) =>
      driver.run({
        client: { ...live.idle, webhook_secret: secret },
        call: { do: 'unwrap', body: raw, headers: headers as Record<string, string> },
      });
    expect((await unwrap(text)).value).toEqual(body);
    expect((await unwrap(`${text} `)).error).toMatchObject({ class: 'webhook_invalid' });
  });
});

it('the clients of all languages submit one key at a time, and one job is made', async () => {
  const request = { ...live.place.ok, idempotency_key: newKey() };
  const call = { do: 'submit', request } as const;
  const outcomes = await Promise.all(
    drivers.flatMap(({ driver }) => [0, 1].map(() => driver.run({ client: live.idle, call }))),
  );
  const submitted = outcomes.map(({ value }) => value as { job_id: string; replayed: boolean });
  expect(new Set(submitted.map(({ job_id }) => job_id)).size).toBe(1);
  expect(submitted.filter(({ replayed }) => !replayed)).toHaveLength(1);
});
