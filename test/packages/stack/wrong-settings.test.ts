import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '#protocol/operate/variables.ts';
import { migrate } from '#stack/migrate.ts';
import { bundleWorker, RUNTIME } from '#stack/service.ts';
import { RIGHT, wrongValue } from '../../support/variables.ts';

type Variables = Readonly<Record<string, string>>;

const REQUIRED = ['BASE_URL', 'CLIP_ID_SECRET', 'ACCEPTED_DEMO_DOMAINS'];
/** Each may be missing or empty while the other, which needs it, is set. */
const PARTNERS = ['PURGE_ZONE_ID', 'PURGE_TOKEN'];
const FATAL = ['BASE_URL', 'CLIP_ID_SECRET', 'FENCE_FLOOR', 'JURISDICTION'];

interface WrongSetting {
  readonly title: string;
  readonly variables: Variables;
  /** The variables that the service reports as wrong. */
  readonly named: readonly string[];
}

const without = (name: string) => Object.fromEntries(Object.entries(RIGHT).filter(([key]) => key !== name));
const required = Object.fromEntries([...REQUIRED, 'ADMIN_TOKEN'].map((name) => [name, RIGHT[name] ?? '']));

const WRONG: readonly WrongSetting[] = [
  { title: 'all are right', variables: RIGHT, named: [] },
  { title: 'only the required ones are set', variables: required, named: [] },
  {
    title: 'the others are empty',
    variables: { ...Object.fromEntries(VARIABLES.map((name) => [name, ''])), ...required },
    named: [],
  },
  ...[...REQUIRED, ...PARTNERS].flatMap((name) => [
    { title: `${name} is missing`, variables: without(name), named: [name] },
    { title: `${name} is empty`, variables: { ...RIGHT, [name]: '' }, named: [name] },
  ]),
  ...VARIABLES.flatMap((name) => {
    const wrong = wrongValue(name);
    if (wrong === null) return [];
    return { title: `${name} is wrong`, variables: { ...RIGHT, [name]: wrong }, named: [name] };
  }),
];

/** Workers of one runtime: each is an isolate with the whole bundle. */
const AT_ONCE = 16;
const BATCHES = Array.from({ length: Math.ceil(WRONG.length / AT_ONCE) }, (_, i) =>
  WRONG.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
);

describe.each(BATCHES.map((batch) => ({ from: batch[0]?.title, batch })))(
  'the bundle, from "$from" on',
  ({ batch }) => {
    let folder: string;
    let runtime: Miniflare;
    let key: string;
    let log = '';

    const ask = async (title: string, path: string, init: { method?: string; token?: string; body?: object } = {}) => {
      const { method = 'GET', token, body } = init;
      const worker = await runtime.getWorker(title);
      const response = await worker.fetch(`https://clips.example.net${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tickreel-settings-'));
      const modules = [{ type: 'ESModule' as const, path: 'worker.mjs', contents: await bundleWorker() }];
      const { ratelimits: _, ...bound } = RUNTIME;
      const isolates = [{ title: 'all', variables: RIGHT }, ...batch];
      runtime = new Miniflare({
        host: '127.0.0.1',
        port: 0,
        cf: false,
        log: new Log(LogLevel.ERROR),
        handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
          for (const stream of [stdout, stderr]) stream.on('data', (chunk) => (log += chunk));
        },
        workers: isolates.map(({ title, variables }) => ({
          name: title,
          modules,
          ...bound,
          bindings: { ...variables },
        })),
        d1Persist: join(folder, 'd1'),
        r2Persist: join(folder, 'r2'),
        durableObjectsPersist: join(folder, 'objects'),
      });
      await runtime.ready;
      await migrate(await runtime.getD1Database('DB', 'all'));
      const admin = { method: 'POST', token: RIGHT.ADMIN_TOKEN ?? '' };
      const account = await ask('all', '/admin/accounts', { ...admin, body: { name: 'a' } });
      const made = await ask('all', `/admin/accounts/${account.body.account_id}/keys`, {
        ...admin,
        body: { kind: 'metered' },
      });
      key = made.body.key;
    });
    afterAll(async () => {
      await runtime.dispose();
      await rm(folder, { recursive: true, force: true });
    });

    const isFatal = ({ named }: WrongSetting) => named.some((name) => FATAL.includes(name));
    const fatal = batch.filter(isFatal);

    it.runIf(fatal.length > 0).each(fatal)('refuses to run: $title', async ({ title, named: [name = ''] }) => {
      await expect(ask(title, '/')).rejects.toThrow(`the Worker's variables are wrong:\n${name} `);
    });

    it.each(batch.filter((one) => !isFatal(one)))('answers pages and API: $title', async ({ title, named }) => {
      const statuses = [
        await ask(title, '/'),
        await ask(title, `/clips/${crypto.randomUUID()}`),
        await ask(title, '/api/jobs', { token: key }),
        await ask(title, '/api/clips', {
          method: 'POST',
          token: key,
          body: { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' },
        }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([200, 404, 200, 201]);
      const overview = await ask(title, '/admin/overview', { token: RIGHT.ADMIN_TOKEN ?? '' });
      if (named.includes('ADMIN_TOKEN')) expect(overview.status).toBe(404);
      else expect(overview.body.wrong_variables.map((one: { variable: string }) => one.variable)).toEqual(named);
    });

    it('logs each of them once an isolate', () => {
      const lines = log.split('\n').filter((line) => line.includes("some of the Worker's variables are wrong"));
      const logged = lines.flatMap((line) => JSON.parse(line).faults as string[]).map((fault) => fault.split(' ')[0]);
      const named = batch.flatMap((one) => (isFatal(one) ? [] : one.named));
      expect(logged.sort()).toEqual([...named].sort());
    });
  },
);
