import { text } from 'node:stream/consumers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTickreel, type NewKey } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { startReceiver } from '../support/receiver.ts';
import { axeViolations, connectChromium, openPage, until } from './support/open-page.ts';
import type { Stage } from './support/stage.ts';

const stage = inject('stage') as Stage;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark', bypassCSP: true } as const;
const SCREEN = { viewport: { width: 1280, height: 900 }, colorScheme: 'light', bypassCSP: true } as const;

let browser: Browser;
beforeAll(async () => {
  if (stage) browser = await connectChromium();
});
afterAll(() => browser?.close());

const clientOf = (apiKey: string) => createTickreel({ baseUrl: stage.baseUrl, apiKey });

/** Creates an account with a key of scope `manage`. */
async function newKey(): Promise<string> {
  const { call } = createTickreelOperator({ baseUrl: stage.baseUrl, adminToken: stage.adminToken });
  const { account_id: id } = await call('createAccount', { body: { name: 'Studio' } });
  return (await call('createKey', { params: { id }, body: { kind: 'metered', name: 'owner' } })).key;
}

async function openAccount(apiKey: string, options: BrowserContextOptions) {
  const opened = await openPage(browser, `${stage.baseUrl}/studio`, options);
  const { page } = opened;
  await page.getByLabel('Your API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  return { ...opened, keys: page.getByRole('region', { name: 'Keys' }), dialog: page.getByRole('dialog') };
}

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
  }
}

describe.skipIf(!stage)('the account in the studio', () => {
  it.each([
    ['a phone', PHONE],
    ['a screen', SCREEN],
  ])('on %s makes a key and a test key, shows each once, and copies it', async (_, options) => {
    const apiKey = await newKey();
    const { page, keys, dialog, complaints } = await openAccount(apiKey, options);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await keys.getByText('New key', { exact: true }).click();
    const form = keys.getByRole('form', { name: 'New key' });
    const fill = async (values: Record<string, string>) => {
      for (const [label, value] of Object.entries(values)) await form.getByLabel(label, { exact: true }).fill(value);
    };
    await fill({ 'Name of the key': 'web server' });
    expect(await form.getByLabel('Kind').locator('option').allTextContents()).toEqual(['metered', 'test']);
    await form.getByRole('button', { name: 'Create the key' }).click();
    const made = (await dialog.locator('.secret').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await keys.getByText('web server', { exact: true }).waitFor();
    await keys.getByText(/^Made .* by owner · never used$/).waitFor();
    expect(await page.content()).not.toContain(made);
    const { keys: listed } = await clientOf(made).keys.list().page();
    expect(listed.find(({ is_this }) => is_this)).toMatchObject({ name: 'web server', scope: 'submit' });

    await fill({ 'Name of the key': 'CI', Expires: '2020-01-01' });
    await form.getByLabel('Kind').selectOption('test');
    await form.getByRole('button', { name: 'Create the key' }).click();
    await form.getByText('must be in the future').waitFor();
    await fill({ Expires: '2999-01-01' });
    await form.getByRole('button', { name: 'Create the key' }).click();
    await dialog
      .locator('.secret')
      .getByText(/^tr_test_/)
      .waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await keys.getByText('test, submit').waitFor();

    await fill({ 'Name of the key': 'server 1' });
    await form.getByRole('combobox', { name: 'Scope' }).selectOption('ingest');
    await form.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByText(`matchzy_demo_upload_url "${stage.baseUrl}/api/ingest"`).waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await keys.getByText('metered, ingest').waitFor();
    await expectAccessible(page);
    expect(await fits(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('revokes a key with those that come from it, which it names, unless they are kept', async () => {
    const apiKey = await newKey();
    const make = async (by: string, key: Partial<NewKey>) =>
      (await clientOf(by).keys.create({ kind: 'metered', ...key } as NewKey)).key;
    const agency = await make(apiKey, { name: 'agency', scope: 'manage' });
    const bot = await make(agency, { name: 'bot', scope: 'submit' });
    const { page, keys, dialog } = await openAccount(apiKey, PHONE);
    await keys.getByRole('button', { name: /^Revoke bot, / }).click();
    await dialog.getByText('refused within 30 seconds').waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await keys.getByRole('button', { name: /^Revoke agency, / }).click();
    await dialog.getByText('These keys come from it').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^bot \(submit, tr_met_.*\)$/),
    ]);
    await expectAccessible(page);
    await dialog.getByLabel('Keep these keys').check();
    await dialog.getByRole('button', { name: 'Revoke the key' }).click();
    await keys.getByText('Revoked or expired: 1').waitFor();
    const states = async () =>
      (await clientOf(apiKey).keys.list().page()).keys.map(({ name, revoked_at }) => [name, revoked_at !== null]);
    expect(await states()).toEqual([
      ['owner', false],
      ['agency', true],
      ['bot', false],
    ]);

    await keys.getByRole('button', { name: /^Revoke owner, / }).click();
    await dialog.getByText('You use this key here').waitFor();
    await dialog.getByRole('listitem').getByText('bot').waitFor();
    await dialog.getByRole('button', { name: 'Revoke the key' }).click();
    await dialog.waitFor({ state: 'detached' });
    const operator = createTickreelOperator({ baseUrl: stage.baseUrl, adminToken: stage.adminToken });
    const { entries } = await operator.call('listAudit', { query: { limit: 5 } });
    expect(entries.find(({ action }) => action === 'revokeOwnKey')).toMatchObject({ target: { revoked: '2' } });
    // A new isolate would refuse the key at once.
    await expect(clientOf(bot).keys.create({ kind: 'metered', scope: 'read' })).rejects.toThrow();
  });

  it('lists a new key whose answer was lost', async () => {
    const { page, keys } = await openAccount(await newKey(), PHONE);
    await page.route('**/api/keys', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await keys.getByText('New key', { exact: true }).click();
    await keys.getByLabel('Name of the key').fill('lost');
    await keys.getByRole('button', { name: 'Create the key' }).click();
    await keys.getByRole('button', { name: /^Revoke lost, / }).waitFor();
    expect(await keys.getByRole('alert').textContent()).toMatch(/\w/);
    expect(await keys.getByRole('listitem').count()).toBe(2);
  });

  it('with a key of less scope, shows all and says which key changes it', async () => {
    const { key } = await clientOf(await newKey()).keys.create({ kind: 'metered', name: 'reader', scope: 'read' });
    const { page, keys } = await openAccount(key, PHONE);
    await keys.getByText('Changes here take a key of scope manage. Yours is of scope read.').waitFor();
    await keys.getByText('metered, read, the key of this tab').waitFor();
    for (const button of await keys.getByRole('button', { name: /^Revoke / }).all()) {
      expect(await button.isDisabled()).toBe(true);
    }
    await keys.getByText('New key', { exact: true }).click();
    expect(await keys.getByRole('button', { name: 'Create the key' }).isDisabled()).toBe(true);
    const secrets = page.getByRole('region', { name: 'Webhook secrets' });
    expect(await secrets.getByRole('button', { name: 'New secret' }).isDisabled()).toBe(true);
    await page.getByRole('heading', { name: 'Rules' }).click();
    await page.getByText('Changes here take a key of scope submit. Yours is of scope read.').waitFor();
    await page.getByText('0 seconds rendered from').waitFor();
    await expectAccessible(page);
    expect(await fits(page)).toBe(true);
  });

  it('makes a webhook secret, tests a receiver with it, and deletes it', async () => {
    const receiver = await startReceiver((index) => (index === 0 ? 200 : 500));
    onTestFinished(() => receiver.stop());
    const { page, dialog, complaints } = await openAccount(await newKey(), SCREEN);
    const secrets = page.getByRole('region', { name: 'Webhook secrets' });
    await secrets.getByText('Without one, webhooks are not signed.').waitFor();
    await secrets.getByRole('button', { name: 'New secret' }).click();
    await dialog
      .locator('.secret')
      .getByText(/^whsec_/)
      .waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    const tests = async (answer: string) => {
      await secrets.getByRole('button', { name: 'Test a receiver' }).click();
      await dialog.getByLabel('Address').fill(receiver.url);
      await dialog.getByLabel('Authorization header, if it wants one').fill('Bearer mine');
      await dialog.getByLabel('Event').selectOption('job.failed');
      await dialog.getByRole('button', { name: 'Send the example' }).click();
      await dialog.getByText(answer).waitFor();
      await page.keyboard.press('Escape');
    };
    await tests('signatures: 1.');
    await tests('Not delivered: HTTP 500');
    const { headers, body } = await receiver.arrival(0);
    expect([headers.authorization, body.event]).toEqual(['Bearer mine', 'job.failed']);
    expect(headers).toHaveProperty('webhook-signature');
    await secrets.getByRole('button', { name: /^Delete the secret whsec_/ }).click();
    await dialog.getByRole('button', { name: 'Delete the secret' }).click();
    await secrets.getByText('Without one, webhooks are not signed.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows usage by day, and saves what is shown as CSV', async () => {
    const { page } = await openAccount(stage.meteredKey, SCREEN);
    const usage = page.getByRole('region', { name: 'Usage' });
    const lines = usage.getByRole('table', { name: 'lines of usage' });
    await lines.waitFor();
    const { usage: listed } = await clientOf(stage.meteredKey).usage({ include: 'renderer,day' });
    const saved = async () => {
      const download = page.waitForEvent('download');
      await usage.getByRole('link', { name: 'Download CSV' }).click();
      const file = await download;
      return [file.suggestedFilename(), await text(await file.createReadStream())] as const;
    };
    const [name, content] = await saved();
    expect(name).toMatch(/^usage-\d{4}-\d\d-01-\d{4}-\d\d-\d\d\.csv$/);
    const rows = listed.map(({ day, tier, resolution, fps, renderer, rendered_seconds }) =>
      [day, tier, resolution, fps, renderer, rendered_seconds].join(),
    );
    expect(listed.length).toBeGreaterThan(0);
    expect(content).toBe(['day,tier,resolution,fps,renderer,rendered_seconds', ...rows, ''].join('\r\n'));
    expect(await lines.getByRole('row').count()).toBe(listed.length + 1);
    await usage.getByLabel('From').fill('2020-01-01');
    await usage.getByLabel('To, included').fill('2020-01-31');
    await usage.getByRole('button', { name: 'Show' }).click();
    await usage.getByText('0 seconds rendered from 2020-01-01 to 2020-01-31 (UTC).').waitFor();
    expect((await saved())[1]).toBe('day,tier,resolution,fps,renderer,rendered_seconds\r\n');
    await until(async () => expect(await usage.getByText('No lines of usage.').count()).toBe(1));

    const problem = { type: 'about:blank', title: 'Too much', status: 400, code: 'invalid_request' };
    await page.route('**/api/usage?*', (route) => route.fulfill({ status: 400, json: problem }));
    await page.getByRole('button', { name: 'Clips', exact: true }).click();
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await usage.getByRole('alert').getByText(/\w/).waitFor();
    expect(await usage.getByText('seconds rendered').count()).toBe(0);
    expect(await usage.getByRole('link', { name: 'Download CSV' }).count()).toBe(0);
  });
});
