import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { CAPABILITIES, hostAt, type TestHost } from '../support/test-host.ts';
import { axeViolations, connectChromium, layoutShift, openPage, until } from './support/open-page.ts';

const stage = inject('stage');
/** A job without a demo. */
const ORDER = { demo_url: 'http://127.0.0.1:1/closed.dem', steam64_id: '76561198000000001' };
/** A folder for screenshots for people; none are taken unless it is set. */
const { CONSOLE_SHOTS } = process.env;

describe.skipIf(stage === null)('the console in a browser', () => {
  const { baseUrl = 'http://none.test', adminToken = 'none', meteredKey = 'none', clipId = '' } = stage ?? {};
  const { call } = createTickreelOperator({ baseUrl, adminToken });
  const { clips } = createTickreel({ baseUrl, apiKey: meteredKey });
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  async function signedIn(options: BrowserContextOptions = {}, token = adminToken) {
    const opened = await openPage(browser, `${baseUrl}/console`, { bypassCSP: true, ...options });
    await opened.page.getByLabel("An operator's token").fill(token);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  }

  async function open(page: Page, hash: string, heading: string): Promise<void> {
    // A view is shown until the next one is loaded, and both may have the same heading.
    const shown = await page.$('main h1');
    const isOther = await page.evaluate((to) => {
      const before = location.hash;
      location.hash = to;
      return before !== to;
    }, hash);
    if (isOther) await shown?.waitForElementState('hidden');
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }

  /** Presses a button that asks first, types the name that it asks for, and agrees. */
  async function act(page: Page, button: string, name?: string): Promise<void> {
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    if (name !== undefined) await dialog.getByLabel('Type').fill(name);
    await dialog.locator('form button').click();
  }

  const shoot = (page: Page, name: string) =>
    CONSOLE_SHOTS ? page.screenshot({ path: join(CONSOLE_SHOTS, `${name}.png`), fullPage: true }) : null;

  /** Creates a host that has failed a job of its own account, and no other. */
  async function faultyHost(name: string): Promise<{ host_id: string; job_id: string; host: TestHost }> {
    const { host_id, token } = await call('createHost', { body: { name } });
    const label = host_id.slice(0, 8);
    await call('changeHost', { params: { id: host_id }, body: { labels: [label], note: 'in rack 4' } });
    const { account_id } = await call('createAccount', { body: { name, labels: [label] } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    const { job_id } = await createTickreel({ baseUrl, apiKey: key }).clips.submit(ORDER);
    const host = hostAt(baseUrl, token);
    const card = { gpu: 'RTX 4070', driver: '580.95', free_bytes: 412e9 };
    const grant = await host.claim({ ...card, clock_off_s: -300 }, 20);
    if (grant?.job_id !== job_id) throw new Error('the host got another job');
    const log = `${JSON.stringify({ level: 50, time: Date.now(), job: job_id, msg: 'the game has ended' })}\n`;
    await host.report(grant, 'fail', { code: 'demo_404', detail: 'it was deleted', log });
    await until(async () => expect((await call('getHost', { params: { id: host_id } })).ended).toHaveLength(1));
    return { host_id, job_id, host };
  }

  const job = async () => (await clips.get(clipId)).job_id;

  it('says why a job waits: in the overview, in the list and at the job', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'With a label' } });
    await call('changeAccount', { params: { id: account_id }, body: { labels: ['studio'] } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered', name: 'web' } });
    const own = createTickreel({ baseUrl, apiKey: key });
    const { job_id } = await own.clips.submit(ORDER);
    const why = 'No host can render 1080p at 30 fps with the radar for studio: none has the label studio.';
    await expect
      .poll(async () => (await call('getJobStory', { params: { id: job_id } })).queue?.text, { timeout: 60_000 })
      .toBe(why);
    expect((await own.jobs.get(job_id, { include: ['queue'] })).queue?.text).not.toContain('studio');
    const { page } = await signedIn({ viewport: { width: 1360, height: 900 } });
    for (const [hash, heading] of [
      ['#/', 'Overview'],
      [`#/jobs?account=${account_id}`, 'Jobs'],
      [`#/jobs/${job_id}`, 'Job'],
    ] as const) {
      await open(page, hash, heading);
      await page.getByText(why).first().waitFor();
      await shoot(page, `waits-${heading}`);
      expect(await axeViolations(page), hash).toEqual([]);
    }
    await own.jobs.cancel(job_id);
    await page.close();
  });

  it('shows every view, wide and light or narrow and dark, to everybody', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'Looked at' } });
    const params = { id: account_id };
    const { key } = await call('createKey', { params, body: { kind: 'metered', name: 'web' } });
    const server = { kind: 'metered', scope: 'ingest', ingest_limits: { demos: 40 } } as const;
    const { key: ofServer } = await call('createKey', { params, body: server });
    const file = { name: 'a.dem', bytes: 3e6, sha256: 'a'.repeat(64) };
    await createTickreel({ baseUrl, apiKey: key }).call('createUpload', { body: file });
    const headers = { 'X-Api-Key': ofServer, 'MatchZy-FileName': 'de_nuke.dem' };
    await fetch(`${baseUrl}/api/ingest`, { method: 'POST', headers, body: 'no demo' });
    await createTickreel({ baseUrl, apiKey: key }).rules.create({
      name: 'League',
      when: { tags: ['league'] },
      render: { what: 'highlights' },
      send: { discord_url: 'https://discord.com/api/webhooks/1/the-secret' },
    });
    /** What a view shows of demos that arrive. */
    const shown: Readonly<Record<string, readonly string[]>> = {
      'Demos that arrive': ['0 B of 3.0 MB', 'de_nuke.dem', '400: the body must be a demo of Counter-Strike 2'],
      'Looked at': ['metered, ingest, 40 demos a day', 'the best 3 moments, tagged league', 'api/webhooks/1/…'],
    };
    await call('createOperator', { body: { name: 'Grace', role: 'operate' } });
    await call('createRegistration', { body: { name: 'rack 4', uses: 8 } });
    const views = [
      ['#/', 'Overview'],
      ['#/jobs', 'Jobs'],
      [`#/jobs/${await job()}`, 'Job'],
      ['#/hosts', 'Hosts'],
      [`#/hosts/${(await faultyHost('Faulty host')).host_id}`, 'Faulty host'],
      ['#/hosts/registrations', 'Registrations of hosts'],
      ['#/accounts', 'Accounts'],
      [`#/accounts/${account_id}`, 'Looked at'],
      ['#/usage', 'Usage'],
      ['#/deliveries', 'Webhooks that do not arrive'],
      ['#/arrivals', 'Demos that arrive'],
      ['#/controls', 'Maintenance and blocks'],
      ['#/audit', 'Audit log'],
      ['#/operators', 'Operators'],
      ['#/search?q=a', 'Found for'],
    ] as const;
    for (const { name, viewport, colorScheme } of [
      { name: 'wide', viewport: { width: 1360, height: 900 }, colorScheme: 'light' },
      { name: 'narrow', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    ] as const) {
      const { page, complaints } = await signedIn({ viewport, colorScheme, reducedMotion: 'reduce' });
      for (const [hash, heading] of views) {
        await open(page, hash, heading);
        for (const text of shown[heading] ?? []) await page.getByText(text, { exact: false }).first().waitFor();
        await shoot(page, `${heading.split(' ')[0]}-${name}-${colorScheme}`);
        expect(await axeViolations(page), `${hash} ${name} ${colorScheme}`).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${hash} ${name}`).toBeLessThanOrEqual(0);
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  it('tells the story of a job and holds a host', async () => {
    const { page } = await signedIn();
    await open(page, `#/jobs/${await job()}`, 'Job');
    await page.getByRole('link', { name: / by .* on / }).waitFor();
    // A host that no other test needs. It polls, so that it is not gone; it is held, so that it gets no jobs of other
    // tests.
    const { host_id, token } = await call('createHost', { body: { name: 'Held' } });
    await call('changeHost', { params: { id: host_id }, body: { hold: 'paused' } });
    await fetch(`${baseUrl}/gateway/v1/claim`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ capabilities: CAPABILITIES, wait_s: 0 }),
    });
    await until(async () => {
      const { hosts } = await call('listHosts');
      expect(hosts.find((host) => host.host_id === host_id)?.state).toBe('paused');
    });
    await open(page, '#/hosts', 'Hosts');
    const paused = page.getByRole('row').filter({ hasText: 'Held' }).getByText('paused', { exact: true });
    await paused.waitFor();
    await page.getByRole('button', { name: 'Resume Held' }).click();
    await paused.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Pause Held' }).click();
    await paused.waitFor();
    await open(page, '#/audit', 'Audit log');
    await until(async () => expect(await page.getByText('changeHost').count()).toBeGreaterThanOrEqual(2));
    await page.context().close();
  });

  it('shows one host with its faults, its log of one job, and revokes it by name', async () => {
    const { host_id, job_id } = await faultyHost('Rack 4');
    const { page } = await signedIn();
    await open(page, '#/hosts', 'Hosts');
    await page.getByRole('link', { name: 'Rack 4', exact: true }).click();
    await page.getByRole('heading', { name: 'Rack 4', level: 1 }).waitFor();
    for (const text of ['RTX 4070', '580.95', '412 GB', '300 s behind ours', 'in rack 4']) {
      await page.getByText(text).first().waitFor();
    }
    for (const table of ['failures', 'attempts']) {
      await page.getByRole('table', { name: table, exact: true }).getByText('demo_404').waitFor();
    }
    await page.getByRole('table', { name: 'failures' }).getByRole('link').click();
    await page.getByRole('heading', { name: `Job ${job_id}` }).waitFor();
    await page.getByText('Only those on one host').waitFor();
    await page.getByText("The host's log").click();
    expect(await page.getByLabel('Log').textContent()).toMatch(/^-?\d+\.\d s error the game has ended\n$/);
    await open(page, `#/hosts/${host_id}`, 'Rack 4');
    await act(page, 'Revoke Rack 4', 'Rack 4');
    await page.getByText('Its token is revoked.').waitFor();
    await page.context().close();
  });

  it('takes a clip down', async () => {
    const { payload } = (await call('getJobStory', { params: { id: (await job()) ?? '' } })).job;
    const { demo_url, steam64_id } = payload as typeof ORDER;
    const { id } = await clips.render({ demo_url, steam64_id, round: 1, fps: 12 });
    const { page, complaints } = await signedIn({ viewport: { width: 1360, height: 900 }, reducedMotion: 'reduce' });
    await open(page, `#/jobs/${(await clips.get(id)).job_id}`, 'Job');
    await page.getByRole('button', { name: 'Take down' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('It shows an address.');
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    await shoot(page, 'take-down-dialog');
    await dialog.locator('form button').click();
    await page.getByText('It shows an address.').waitFor();
    expect(complaints).toEqual([]);
    await page.goto(`${baseUrl}/clips/${id}`);
    await page.getByRole('heading', { name: 'This clip was removed' }).waitFor();
    await shoot(page, 'removed');
  });

  it('makes one host on a double click, and shows nothing more after a sign-out', async () => {
    const { page } = await signedIn();
    await open(page, '#/hosts', 'Hosts');
    await page.getByLabel('Name of a new render host').fill('Clicked twice');
    await page.getByRole('button', { name: 'Create the token' }).dblclick();
    await page.locator('dialog code').waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('row').filter({ hasText: 'Clicked twice' }).first().waitFor();
    const { hosts } = await call('listHosts');
    expect(hosts.filter(({ name }) => name === 'Clicked twice').length).toBe(1);

    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/admin/accounts', async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Accounts' }).click();
    await asked.promise;
    await page.getByRole('button', { name: 'Sign out' }).click();
    const answered = page.waitForResponse('**/admin/accounts');
    held.resolve();
    await (await answered).finished();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent !== '');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Tickreel console');
    await page.context().close();
  });

  it('shows the bill by day, and has it as a file', async () => {
    const { usage } = await call('listUsage');
    const { account_id: account, account_name: name, rendered_seconds: seconds, day } = usage[0] ?? expect.fail();
    const { page } = await signedIn();
    await open(page, `#/usage?account=${account}&from=${day}`, 'Usage');
    await page.getByRole('img', { name: /^Rendered by day/ }).waitFor();
    const sum = page
      .getByRole('table', { name: 'usage' })
      .getByRole('row')
      .filter({ hasText: String(name) });
    expect(await sum.first().textContent()).toContain(seconds.toLocaleString('en'));
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'All lines as CSV' }).click();
    const rows = (await text(await (await download).createReadStream())).split('\r\n');
    expect(rows).toHaveLength(usage.filter((line) => line.account_id === account).length + 2);
    expect(rows[1]).toContain(`${day},${account},${name},`);
    await page.getByLabel('From').fill('2026-02-01');
    await page.getByLabel('Before').fill('2026-03-01');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No usage.').waitFor();
    await open(page, `#/accounts/${account}`, String(name));
    await page.getByRole('button', { name: 'Erase it' }).click();
    await page.getByText('Its usage stays for invoices, without its name.').waitFor();
    await page.context().close();
  });

  it('cancels a job', async () => {
    const { job_id: jobId } = await clips.submit(ORDER);
    const { page } = await signedIn();
    await open(page, `#/jobs/${jobId}`, 'Job');
    await act(page, 'Cancel the job');
    await until(async () => expect(await page.getByText('canceled').count()).toBeGreaterThan(0));
    await until(async () => expect(await page.getByRole('button', { name: 'Cancel the job' }).count()).toBe(0));
    await page.context().close();
  });

  it('runs the failed jobs of a filter again after a count, and one from its page', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'Retries', labels: ['nowhere'] } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { job_id } = await createTickreel({ baseUrl, apiKey: key }).clips.submit(ORDER);
      await call('cancelAnyJob', { params: { id: job_id } });
      ids.push(job_id);
    }
    const listed = async (status: 'error' | 'pending') =>
      (await call('listAllJobs', { query: { account: account_id, status } })).jobs.length;
    await until(async () => expect(await listed('error')).toBe(3));
    const { page } = await signedIn();
    await open(page, `#/jobs?account=${account_id}`, 'Jobs');
    await page.getByRole('button', { name: 'Retry these…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Only those with a code that another run may mend.').waitFor();
    await dialog.getByText('0 jobs').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open(page, `#/jobs?account=${account_id}&error_code=canceled`, 'Jobs');
    await page.getByRole('button', { name: 'Retry these…' }).click();
    const count = (jobs: number) => dialog.getByText(`${jobs} jobs, 0 of them under slots`).waitFor();
    await count(3);
    await shoot(page, 'Retry-preview');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Build of the game').fill('1.41.6.0');
    await dialog.getByLabel('Build of the game').blur();
    await count(0);
    await dialog.getByLabel('Build of the game').fill('');
    await dialog.getByLabel('Build of the game').blur();
    await count(3);
    // The button that stops is there while a batch is under way; the batch itself ends.
    const held = Promise.withResolvers<void>();
    await page.route('**/admin/jobs/resubmit', async (route) => {
      await held.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Run them again' }).click();
    await dialog.getByText('0 of 3 done').waitFor();
    await shoot(page, 'Retry-progress');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    held.resolve();
    await dialog.getByText('3 done.').waitFor();
    await shoot(page, 'Retry-done');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await until(async () => expect(await listed('pending')).toBe(3));
    const [id = ''] = ids;
    await call('cancelAnyJob', { params: { id } });
    await open(page, `#/jobs/${id}`, 'Job');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('It runs again.').waitFor();
    await page.getByRole('button', { name: 'Cancel the job' }).waitFor();
    await page.context().close();
  });

  it('blocks demos, and refuses a maintenance that is over at its field', async () => {
    const { page } = await signedIn();
    await open(page, '#/controls', 'Maintenance and blocks');
    const form = page.getByRole('form', { name: 'New block' });
    await form.getByLabel('Address').fill('https://files.example.org/match.dem?x=1');
    await form.getByLabel('Reason').fill('its owner asked');
    await form.getByRole('button', { name: 'Block it' }).click();
    await page.getByRole('row').filter({ hasText: 'files.example.org/match.dem?x=1' }).waitFor();
    await shoot(page, 'Blocks');
    await page.getByRole('button', { name: 'Remove files.example.org/match.dem?x=1' }).click();
    await page.getByRole('dialog').locator('form button').click();
    await page.getByText('No blocked demos.').waitFor();
    const begin = async (until: string) => {
      await page.getByRole('button', { name: 'Begin maintenance…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('The database moves to another machine');
      await dialog.getByLabel('Until').fill(until);
      await dialog.locator('form button').click();
    };
    await begin('2020-01-01T00:00');
    await page.getByRole('dialog').getByText('must be in the future').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    // Other files of this suite submit jobs to the same service, so it is not put under maintenance: the page alone is.
    const maintenance = { reason: 'The database moves', since: new Date().toISOString(), until: null, operator: 'Ada' };
    let isOn = false;
    for (const path of ['controls', 'overview*']) {
      await page.route(`**/admin/${path}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ json: { ...(await response.json()), ...(isOn && { maintenance }) } });
      });
    }
    await page.route('**/admin/maintenance', async (route) => {
      isOn = route.request().method() === 'PUT';
      await route.fulfill(isOn ? { json: maintenance } : { status: 204 });
    });
    await begin('2040-01-01T00:00');
    await page.getByText('Under maintenance').waitFor();
    await open(page, '#/', 'Overview');
    await page.getByText('Under maintenance').waitFor();
    await shoot(page, 'Maintenance-overview');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await until(async () => expect(await page.getByText('Under maintenance').count()).toBe(0));
    await page.context().close();
  });

  it('shows a new key once, and suspends an account', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'Suspended soon' } });
    const { page } = await signedIn();
    await open(page, `#/accounts/${account_id}`, 'Suspended soon');
    const form = page.getByRole('form', { name: 'New key' });
    await form.getByLabel('Scope').selectOption('ingest');
    const demos = form.getByLabel('Demos sent a day', { exact: true });
    await demos.fill('0');
    await form.getByRole('button', { name: 'Create it' }).click();
    await until(async () => expect(await demos.getAttribute('aria-invalid')).toBe('true'));
    await demos.fill('3');
    await form.getByLabel('MiB of demos sent a day').fill('10');
    await form.getByRole('button', { name: 'Create it' }).click();
    const lines = await page.locator('dialog code').textContent();
    expect(lines).toMatch(/^matchzy_demo_upload_url "http.*\/api\/ingest"$/m);
    const [, key] = /^matchzy_demo_upload_header_value "(tr_met_\w+)"$/m.exec(lines ?? '') ?? [];
    expect(key).toBeDefined();
    await page.getByRole('button', { name: 'I have it' }).click();
    const { keys } = await call('listKeys', { params: { id: account_id } });
    expect(keys).toMatchObject([{ scope: 'ingest', ingest_limits: { demos: 3, mib: 10 } }]);
    await act(page, 'Suspend it', 'Suspended soon');
    await page.getByRole('button', { name: 'Resume it' }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain(key);
    await page.context().close();
  });

  it('lets operators and machines in and out, and erases an account whose name is typed', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'Erased soon' } });
    const { page } = await signedIn();
    const made = async (form: string, values: Readonly<Record<string, string>>) => {
      const place = page.getByRole('form', { name: form });
      for (const [label, value] of Object.entries(values)) await place.getByLabel(label).fill(value);
      await place.getByRole('button').click();
      const secret = await page.locator('dialog code').textContent();
      await page.getByRole('button', { name: 'I have it' }).click();
      return secret;
    };
    await open(page, '#/operators', 'Operators');
    const token = await made('New operator', { 'Name of a new operator': 'Hedy' });
    const asHedy = () => fetch(`${baseUrl}/admin/overview`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await asHedy()).status).toBe(200);
    await act(page, 'Revoke Hedy', 'Hedy');
    await until(async () => expect(await page.getByRole('button', { name: 'Revoke Hedy' }).count()).toBe(0));
    await open(page, '#/hosts/registrations', 'Registrations of hosts');
    const registration = await made('New registration', { 'Name of a new registration': 'rack 5', Uses: '2' });
    const headers = { Authorization: `Bearer ${registration}`, 'Content-Type': 'application/json' };
    const register = { method: 'POST', headers, body: JSON.stringify({ name: 'gpu-1' }) };
    expect((await fetch(`${baseUrl}/gateway/v1/register`, register)).status).toBe(201);
    await page.reload();
    await page.getByText('1 of 2').waitFor();
    await act(page, 'Revoke rack 5');
    await until(async () => expect(await page.getByRole('button', { name: 'Revoke rack 5' }).count()).toBe(0));
    expect((await fetch(`${baseUrl}/gateway/v1/register`, register)).status).toBe(401);
    await open(page, `#/accounts/${account_id}`, 'Erased soon');
    await act(page, 'Erase it', 'Another');
    const typed = page.getByRole('dialog').getByLabel('Type “Erased soon”');
    await until(async () => expect(await typed.getAttribute('aria-invalid')).toBe('true'));
    await until(async () => expect(await typed.evaluate((field) => field === document.activeElement)).toBe(true));
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await act(page, 'Erase it', 'Erased soon');
    await page.getByText('being erased', { exact: true }).waitFor();
    await until(async () => expect(await page.locator('main button').allTextContents()).toEqual(['Copy']));
    await page.context().close();
  });

  it('shows what is wrong first, and marks it in every other view', async () => {
    const { page } = await signedIn();
    // Other tests leave hosts with faults, and the service has no fault of its own: the page is given both.
    const alarm = { alert: 'NoHosts', text: 'Jobs wait.', since: '2026-01-31T12:00:00Z', help: 'Start `hosts`.' };
    const wrongs = [{ variable: 'LIMIT_JOBS', problem: 'must be a number' }];
    let given: object = { firing: [], wrong_variables: [] };
    await page.route('**/admin/overview?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...given } });
    });
    await page.route('**/admin/events', async (route) => {
      const overview = { ...(await call('getOverview', {})), ...given };
      const body = `data: ${JSON.stringify(overview)}\n\nretry: 200\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.reload();
    await page.getByText('Nothing is wrong.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    given = { firing: [alarm], wrong_variables: wrongs };
    await page.reload();
    const problems = page.getByRole('list', { name: 'What is wrong' }).getByRole('listitem');
    await until(async () => expect(await problems.count()).toBe(2));
    expect(await problems.first().textContent()).toContain('Jobs wait.');
    expect(await page.locator('main h1 + *').evaluate((one) => one.className)).toBe('problems');
    expect(await page.getByText('Nothing is wrong.').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await problems.getByRole('link', { name: 'Look into it' }).click();
    await page.getByRole('heading', { name: 'Hosts' }).waitFor();
    await page.getByRole('link', { name: 'Overview 2' }).waitFor();
    await until(async () => expect(await page.title()).toBe('(2) Hosts · Tickreel'));
    await page.context().close();
  });

  it('finds by the address of a clip, an idempotency key and a name', async () => {
    const jobId = await job();
    const { job_id: keyed } = await clips.submit({ ...ORDER, idempotency_key: 'the key of a match' });
    const { page } = await signedIn();
    const search = async (text: string) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await search(`${baseUrl}/clips/${clipId}?t=2`);
    await page.getByRole('heading', { name: `Job ${jobId}` }).waitFor();
    await search('the key of a match');
    await page.getByRole('heading', { name: `Job ${keyed}` }).waitFor();
    for (const name of ['Needle one', 'Needle two']) await call('createAccount', { body: { name } });
    await search('needle');
    await page.getByRole('link', { name: 'Needle two' }).click();
    await page.getByRole('heading', { name: 'Needle two' }).waitFor();
    await search('no such thing');
    await page.getByText('No results.').waitFor();
    await page.context().close();
  });

  it('shows the limits in force, and what is wrong with one at its field', async () => {
    const { account_id } = await call('createAccount', { body: { name: 'Limited' } });
    const { page } = await signedIn();
    await open(page, `#/accounts/${account_id}`, 'Limited');
    const field = page.getByLabel('Jobs not finished at a time');
    const change = page.getByRole('button', { name: 'Change them' });
    const hint = async () => field.evaluate((one) => one.closest('.field')?.querySelector('small')?.textContent);
    expect(await hint()).toMatch(/^[\d,]+ \(default\)$/);
    await field.fill('99999999');
    await change.click();
    await until(async () => expect(await field.getAttribute('aria-invalid')).toBe('true'));
    expect(await hint()).toContain('10000000');
    expect(await axeViolations(page)).toEqual([]);
    await field.fill('20');
    await change.click();
    await until(async () => expect(await hint()).toMatch(/^20, its own; default [\d,]+$/));
    expect(await field.inputValue()).toBe('20');
    expect((await call('getAccount', { params: { id: account_id } })).limits).toEqual({ jobs: 20 });
    await open(page, '#/jobs', 'Jobs');
    await page.getByLabel('Account').fill('not an id');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('must be a UUID').waitFor();
    await page.context().close();
  });

  it('keeps the focus, what is typed and the layout when the service has news', async () => {
    await call('createHost', { body: { name: 'Looked at' } });
    const { page } = await signedIn();
    await open(page, '#/hosts', 'Hosts');
    await page.getByLabel('Name of a new render host').fill('half a na');
    const button = page.getByRole('button', { name: 'Pause Looked at' });
    await button.focus();
    await page.evaluate(() => Object.assign(window, { kept: document.activeElement }));
    const reload = () => page.waitForResponse((response) => new URL(response.url()).pathname === '/admin/hosts');
    // Other tests make hosts meanwhile, and on a busy machine the page is still being built at first.
    const listed = await (await reload()).json();
    await page.route('**/admin/hosts', (route) => route.fulfill({ json: listed }));
    await (await reload()).finished();
    const { total: before } = await layoutShift(page);
    for (let i = 0; i < 2; i++) await (await reload()).finished();
    await page.waitForFunction(() => document.activeElement === (window as unknown as { kept: Element }).kept);
    expect(await page.getByLabel('Name of a new render host').inputValue()).toBe('half a na');
    expect((await layoutShift(page)).total - before).toBeLessThan(0.01);
    // What is shown stays if the service does not answer for a while.
    await page.route('**/admin/hosts', (route) => route.fulfill({ status: 400, json: {} }));
    await page.getByText('This is not up to date: The service answered 400.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Hosts');
    await page.unroute('**/admin/hosts');
    await page.getByText('This is not up to date').waitFor({ state: 'hidden' });
    // A link of the view takes the focus with it: the next view begins at its heading.
    await page.getByRole('link', { name: /^Registrations/ }).press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Registrations of hosts');
    await page.context().close();
  });

  it('sends webhooks again by the hundred, says how many, and stops when asked', async () => {
    const { page } = await signedIn();
    const delivery = {
      job_id: await job(),
      account_id: crypto.randomUUID(),
      account_name: 'Deaf',
      delivery: null,
    };
    const troubled = { ...delivery, trouble: 'exhausted', created_at: new Date().toISOString() };
    await page.route('**/admin/deliveries', (route) =>
      route.fulfill({ json: { deliveries: [troubled], next_cursor: null } }),
    );
    const asked: unknown[] = [];
    const held = Promise.withResolvers<void>();
    await page.route('**/admin/deliveries/resend', async (route) => {
      asked.push(route.request().postDataJSON());
      if (asked.length === 2) await held.promise;
      const refused = asked.length === 1 ? [{ job_id: delivery.job_id, reason: 'busy' }] : [];
      await route.fulfill({ json: { resent: 99, refused, next_cursor: `after ${asked.length}` } });
    });
    await open(page, '#/deliveries', 'Webhooks that do not arrive');
    await page.getByRole('link', { name: 'Deaf' }).waitFor();
    await act(page, 'Send all exhausted again');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^99 of /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop' }).click();
    held.resolve();
    await dialog.getByText('Stopped. 198 done. 1 refused: busy.').waitFor();
    expect(asked).toEqual([{ all: 'exhausted' }, { all: 'exhausted', cursor: 'after 1' }]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.route('**/admin/deliveries/resend', (route) => route.fulfill({ status: 400, json: {} }));
    await act(page, 'Send all exhausted again');
    await dialog.getByText('The service answered 400. 0 done.').waitFor();
    await page.context().close();
  });

  it('counts what waits beside its link by itself', async () => {
    const { page } = await signedIn();
    const waiting = () => page.locator('[data-count=jobs]').textContent();
    const { account_id } = await call('createAccount', { body: { name: 'Waits', labels: ['nowhere'] } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    await createTickreel({ baseUrl, apiKey: key }).clips.submit(ORDER);
    await until(async () => expect(Number(await waiting())).toBeGreaterThan(0));
    await page.context().close();
  });

  it('offers an operator who may only read nothing to press, and ends its session', async () => {
    const { token } = await call('createOperator', { body: { name: 'Ada', role: 'read' } });
    const { page } = await signedIn({}, token);
    await page.getByText('Ada (read)').waitFor();
    await open(page, '#/hosts', 'Hosts');
    expect(await page.locator('main button').count()).toBe(0);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    // A session allows no change to another page, and none without the console's own origin.
    const theirs = { Cookie: `${cookie?.name}=${cookie?.value}`, 'Content-Type': 'application/json' };
    const change = (origin: string) =>
      fetch(`${baseUrl}/admin/operators`, { method: 'POST', headers: { ...theirs, Origin: origin }, body: '{}' });
    const whys = [await change('https://elsewhere.example'), await change(baseUrl)];
    const details = await Promise.all(whys.map(async (why) => ((await why.json()) as { detail: string }).detail));
    expect(details).toEqual([expect.stringContaining('console itself'), expect.stringContaining('role admin')]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const field = page.getByLabel("An operator's token");
    await field.fill('mistyped');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText("is not an operator's token").waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await until(async () => expect(await page.context().cookies()).toEqual([]));
    expect((await change(baseUrl)).status).toBe(401);
    await page.context().close();
  });
});
