import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_NAMES, helpFor } from '#domain/operate/alerts.ts';
import type { Overview } from '#protocol/operate/operate.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { findChromium, launchChromium } from '../../browser/support/browser.ts';
import { type Api, createApi } from '../../conformance/support/api.ts';
import { startHost } from '../../soak/processes.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { hostAt, type TestHost } from '../../support/test-host.ts';
import { runCli, smallDisk } from './run-cli.ts';

const MIB = 1024 * 1024;
const ORDER = { demo_url: 'http://127.0.0.1:1/closed.dem', steam64_id: '76561198000000001' };

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const [, runbook = ''] = read('docs/operate.md').split(/^## (?:What to do about each alert|When something is wrong)$/m);
/** What to do about each alert. */
const ROWS = Object.fromEntries(
  [...runbook.matchAll(/^\| `(\w+)`.*\|(.*)\|$/gm)].map(([, alert = '', todo = '']) => [alert, todo.trim()]),
);

/** Alerts whose fault cannot be made here, each with the test that fires it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  TickreelDown: 'test/packages/stack/monitoring.test.ts',
  LeasesExpire: 'test/packages/stack/monitoring.test.ts',
  PurgesWait: 'test/packages/stack/monitoring.test.ts',
  // A job waits for a quarter of an hour: only the tests of the Worker move the clock.
  QueueStuck: 'test/src/operate.test.ts',
  // So does one for five minutes.
  JobsWithoutHost: 'test/src/hosts.test.ts',
  // This stack makes no backups.
  BackupFailed: 'test/packages/stack/one-machine.test.ts',
  // A day.
  ErasureStuck: 'test/core/domain/limits.test.ts',
  // Either a million jobs, or 2 GiB of them.
  AccountNearLimit: 'test/src/limits.test.ts',
  // 8 GB.
  DatabaseGrows: 'test/core/domain/limits.test.ts',
};

let stack: Stack;
let receiver: Receiver;
let status = 200;
let api: Api;
let admin: Api;
let disk: string | null;
/** The console; null without a Chromium. */
let page: Page | null = null;
const undo: (() => unknown)[] = [];

async function newHost(name: string): Promise<TestHost & { readonly id: string }> {
  const { body } = await admin.post('/admin/hosts', { name });
  return Object.assign(hostAt(stack.baseUrl, String(body.token)), { id: String(body.host_id) });
}

/** Has a host claim a job and report a failure of it. */
async function failOne(host: TestHost, code: string, request: object = {}): Promise<string> {
  const id = await api.submit({ ...ORDER, ...request });
  const grant = await host.claimJob(id);
  await host.fail(grant, code);
  return id;
}

const database = async () => (stack.runtime as Miniflare).getD1Database('DB');

/** Runs the cron once. */
async function cron(): Promise<void> {
  await (await (stack.runtime as Miniflare).getWorker()).scheduled({});
}

async function tickreel(...args: string[]): Promise<string> {
  const { baseUrl: TICKREEL_URL, credentials } = stack;
  const run = await runCli(args, { TICKREEL_URL, TICKREEL_ADMIN_TOKEN: credentials.admin_token });
  expect(run, args.join(' ')).toMatchObject({ status: 0 });
  return run.out;
}

const overview = async (): Promise<Overview> => JSON.parse(await tickreel('admin', 'overview'));
const names = async () => (await overview()).firing.map(({ alert }) => alert);

interface Message {
  readonly firing: Record<string, string>;
  readonly resolved: readonly string[];
}
const messages = () =>
  receiver.arrivals.filter((one) => one.status === 200).map(({ body }) => body as unknown as Message);

interface Rehearsal {
  /** Makes the fault. Returns the names in the command of the runbook. */
  readonly fault: () => Promise<Record<string, string>>;
  /** What the operator does besides running the command. */
  readonly mend?: () => Promise<unknown>;
  /** Repeated until the alert begins or ends. */
  readonly meanwhile?: () => Promise<unknown>;
  /** How long the alert may take to begin, in milliseconds. */
  readonly timeout?: number;
}

/** In this order: the first has no host yet. */
function rehearsals(): Readonly<Record<string, Rehearsal>> {
  let host: Awaited<ReturnType<typeof newHost>>;
  let other: typeof host;
  const customer = { status: 500 };
  const account = () => ({ ACCOUNT: stack.credentials.account_id });
  return {
    NoHosts: {
      async fault() {
        await api.submit(ORDER);
        return {};
      },
      async mend() {
        const workDir = await mkdtemp(join(tmpdir(), 'tickreel-runbook-'));
        undo.push(() => rm(workDir, { recursive: true, force: true }));
        const real = startHost({
          TICKREEL_URL: stack.baseUrl,
          TICKREEL_HOST_TOKEN: stack.credentials.host_token,
          TICKREEL_WORK_DIR: workDir,
        });
        undo.push(() => real.end('SIGKILL'));
        await expect.poll(async () => (await api.get('/api/jobs')).body.jobs).toMatchObject([{ status: 'error' }]);
        await real.end('SIGTERM');
      },
    },
    ClockOff: {
      async fault() {
        host = await newHost('with a wrong clock');
        await host.claim({ clock_off_s: -300 });
        return {};
      },
      mend: () => host.claim(),
    },
    BuildSetAside: {
      async fault() {
        [host, other] = [await newHost('whose recorder does not fit'), await newHost('without a game')];
        const id = await api.submit(ORDER);
        const misfit = { code: 'cs2_unavailable', detail: 'no hook', unfit_build: '1.50' };
        await host.report(await host.claimJob(id), 'fail', misfit);
        await other.complete(await other.claimJob(id));
        return { HOST: host.id };
      },
      meanwhile: () => host.claim({ renderer: 'cs2', game_build: '1.50' }),
    },
    HostsLost: {
      async fault() {
        const lost = await newHost('that falls silent');
        await lost.render(await lost.claimJob(await api.submit(ORDER)));
        return { HOST: lost.id };
      },
      timeout: 90_000,
    },
    HostsSetAside: {
      async fault() {
        host = await newHost('that fails');
        for (let n = 0; n < 3; n++) await failOne(host, 'cs2_unavailable');
        await cron();
        // A quarter of an hour passes.
        const past = "json_set(cursor, '$.since.HostsSetAside', json_extract(cursor, '$.since.HostsSetAside') - 9e5)";
        await (await database()).exec(`UPDATE cursors SET cursor = ${past} WHERE name = 'alerts'`);
        return { HOST: host.id };
      },
    },
    WebhooksExhausted: {
      async fault() {
        const hooks = await startReceiver(() => customer.status);
        undo.push(() => hooks.stop());
        await failOne(other, 'no_kills_found', { webhook_url: hooks.url });
        return account();
      },
      async mend() {
        customer.status = 200;
      },
    },
    RunsFail: {
      async fault() {
        for (let n = 0; n < 20; n++) await failOne(other, 'no_kills_found');
        return {};
      },
      async mend() {
        const days = (await overview()).days.at(-1);
        const failed = Object.values(days?.failed ?? {}).reduce((a, b) => a + b, 0);
        for (let n = days?.done ?? 0; n < failed; n++)
          await other.complete(await other.claimJob(await api.submit(ORDER)));
      },
    },
    Flood: {
      async fault() {
        const ACCOUNT = String(stack.credentials.other_account_id);
        await tickreel('admin', 'accounts', 'limit', ACCOUNT, 'submits=1');
        const flood = createApi(stack.baseUrl, String(stack.credentials.other_account_key));
        for (let n = 0; n < 26; n++)
          await Promise.all(Array.from({ length: 20 }, () => flood.post('/api/clips', ORDER)));
        return { ACCOUNT };
      },
      // Isolates report what they refused with a later request.
      meanwhile: () => api.get('/api/jobs'),
    },
    UpkeepFailed: {
      async fault() {
        await (await database()).exec("INSERT OR REPLACE INTO cursors VALUES ('count-clips', 'no JSON')");
        return {};
      },
      mend: async () => (await database()).exec("DELETE FROM cursors WHERE name = 'count-clips'"),
    },
    DiskFilling: {
      async fault() {
        const { bavail, bsize } = await statfs(disk ?? '');
        await writeFile(join(disk ?? '', 'fill'), Buffer.alloc(bavail * bsize - 12 * MIB));
        return {};
      },
      mend: () => rm(join(disk ?? '', 'fill')),
    },
    AlertsUnsent: {
      async fault() {
        status = 500;
        host = await newHost('with a wrong clock');
        await host.claim({ clock_off_s: 90 });
        return {};
      },
      async mend() {
        status = 200;
      },
    },
  };
}

describe('the runbook', () => {
  const plan = rehearsals();

  beforeAll(async () => {
    receiver = await startReceiver(() => status);
    undo.push(() => receiver.stop());
    disk = await smallDisk(256, (what) => undo.push(what));
    if (disk === null) return;
    const dataDir = join(disk, 'data');
    await mkdir(dataDir);
    const variables = { ALERT_WEBHOOK_URL: receiver.url, DISK_RESERVE_MIB: '8', LOG_LEVEL: 'error' };
    // A host is silent 30 seconds after its last poll.
    const times = { timeScale: 0.001, leaseSeconds: 31 };
    stack = await startStack({ port: 0, dataDir, hosts: 0, ...times, logLevel: 'silent', variables });
    undo.push(stack.stop);
    api = createApi(stack.baseUrl, stack.credentials.metered_key);
    admin = createApi(stack.baseUrl, stack.credentials.admin_token);
    if (findChromium() === null) return;
    const browser = await launchChromium();
    undo.push(() => browser.close());
    page = await browser.newPage();
    await page.goto(`${stack.baseUrl}/console`);
    await page.getByLabel("An operator's token").fill(stack.credentials.admin_token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing is wrong.').waitFor();
  });
  afterAll(async () => {
    for (const one of undo.toReversed()) await one();
  });

  it('has a row for each alert, with the words of the console, and each row is rehearsed', () => {
    const scraped = [...read('tools/deploy/monitoring/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(Object.keys(ROWS).sort()).toEqual([...new Set([...ALERT_NAMES, ...scraped])].sort());
    for (const alert of ALERT_NAMES) {
      const help = helpFor(alert);
      expect(`${ROWS[alert]}.`.slice(0, help.length), alert).toBe(help);
    }
    expect([...Object.keys(plan), ...Object.keys(ELSEWHERE)].sort()).toEqual(Object.keys(ROWS).sort());
    for (const [alert, path] of Object.entries(ELSEWHERE)) expect(read(path), path).toContain(`'${alert}'`);
  });

  it.each(Object.keys(plan))('%s arrives, the console shows it first, and its row mends it', async (alert) => {
    if (disk === null) return;
    const { fault, mend, meanwhile, timeout } = plan[alert] as Rehearsal;
    const isSent = alert !== 'AlertsUnsent';
    const step = async () => {
      await meanwhile?.();
      await cron();
    };
    const given = await fault();
    const begun = async () => {
      await step();
      return isSent ? Object.keys(messages().at(-1)?.firing ?? {}) : names();
    };
    await expect.poll(begun, timeout ? { timeout } : {}).toContain(alert);
    const { firing } = await overview();
    expect(firing.find((one) => one.alert === alert)).toMatchObject({
      since: expect.any(String),
      help: helpFor(alert),
    });
    await page?.reload();
    const shown = page?.locator('h1 + [aria-label="What is wrong"] > li');
    await shown?.filter({ hasText: helpFor(alert).replaceAll('`', '') }).waitFor();

    await mend?.();
    const [, command] = /`tickreel ([^`]*)`/.exec(ROWS[alert] ?? '') ?? [];
    if (command) await tickreel(...command.split(' ').map((word) => given[word] ?? word));
    await expect.poll(async () => step().then(names)).not.toContain(alert);
    const resolved = () => messages().flatMap((message) => message.resolved);
    if (isSent) await expect.poll(async () => step().then(resolved)).toContain(alert);
  });
});
