import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, FileChooser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTickreel, type Demo, type DemoMatch } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { sendAsMatchZy } from '../support/game-server.ts';
import { SHORT_MATCH } from '../support/short-demo.ts';
import { SOUNDS } from '../support/sounds.ts';
import { hostAt } from '../support/test-host.ts';
import { axeViolations, connectChromium, layoutShift, openPage, until, videoState } from './support/open-page.ts';
import type { Stage } from './support/stage.ts';

const stage = inject('stage') as Stage;

/** A phone, on which the tables scroll inside of themselves. */
const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, colorScheme: 'dark', bypassCSP: true } as const;
const SCREEN = { viewport: { width: 1280, height: 900 }, colorScheme: 'light', bypassCSP: true } as const;

/** What a host needs to do for uploaded demos. */
const SKILLS = { skills: ['uploads', 'inspect', 'tracks'] };

let browser: Browser;
beforeAll(async () => {
  if (stage) browser = await connectChromium();
});
afterAll(() => browser?.close());

const operate = () => createTickreelOperator({ baseUrl: stage.baseUrl, adminToken: stage.adminToken }).call;

/** Creates an account, which has no clips and no jobs. */
async function newAccount() {
  const { account_id } = await operate()('createAccount', { body: { name: 'Studio' } });
  const params = { id: account_id };
  const key = await operate()('createKey', { params, body: { kind: 'metered' } });
  return {
    id: account_id,
    apiKey: key.key,
    revoke: () => operate()('revokeKey', { params: { ...params, key: key.key_id } }),
  };
}

/** Creates a render host, which the test operates by hand while the stack's own host is paused. */
async function newHost() {
  const { token } = await operate()('createHost', { body: { name: 'by hand' } });
  const host = hostAt(stage.baseUrl, token);
  /** Claims and begins a job. Jobs of other tests are released. */
  const take = async (jobId: string): Promise<Grant> => {
    for (;;) {
      const grant = await host.claim(SKILLS, 20);
      if (grant && (await host.begin(grant)) && grant.job_id === jobId) return grant;
      if (grant) await host.release(grant);
    }
  };
  return { host, take };
}

async function signIn(page: Page, apiKey = stage.meteredKey): Promise<void> {
  await page.getByLabel('Your API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Open a/ }).waitFor();
}

/** Returns the demo with other bytes after it, so that it is another upload. The stack's host reads no demo. */
const newDemo = async () => Buffer.concat([await readFile(stage.demoPath), randomBytes(16)]);

/** Drops a file on the area for files, like a user. */
async function drop(page: Page, content?: Buffer, name = 'match.dem'): Promise<void> {
  const bytes = [...(content ?? (await readFile(stage.demoPath)))];
  const dataTransfer = await page.evaluateHandle(
    ([file, called]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(file)], called));
      return transfer;
    },
    [bytes, name] as const,
  );
  await page.getByText('Drop a demo here').dispatchEvent('drop', { dataTransfer });
}

/** Pauses the stack's own host until the test ends, or resumes it. Other hosts belong to other tests. */
async function hold(held: 'paused' | null): Promise<void> {
  if (held !== null) onTestFinished(() => hold(null));
  const { hosts } = await operate()('listHosts', {});
  const id = hosts.find(({ name }) => name === 'local')?.host_id ?? '';
  await operate()('changeHost', { params: { id }, body: { hold: held } });
}

const highlights = (page: Page) => page.getByRole('group', { name: /^Highlights/ }).getByRole('checkbox');
const renders = (page: Page) => page.getByRole('region', { name: 'Renders' });
const statusOf = (page: Page, words: string | RegExp) => renders(page).getByRole('status').filter({ hasText: words });

/** Opens the studio with the demo, ready to tick moments. */
async function openStudio({
  baseUrl = stage.baseUrl,
  apiKey = stage.meteredKey,
  options = SCREEN as BrowserContextOptions,
} = {}) {
  const opened = await openPage(browser, `${baseUrl}/studio`, options);
  await signIn(opened.page, apiKey);
  await drop(opened.page);
  await highlights(opened.page).first().waitFor();
  return opened;
}

/** Changes the match of the inspected demo in every answer of the service. */
async function changeMatch(page: Page, change: (match: DemoMatch) => object): Promise<void> {
  await page.route(/\/api\/demos/, async (route) => {
    const response = await route.fetch();
    const demo = (await response.json()) as Demo;
    await route.fulfill({ response, json: { ...demo, match: demo.match && { ...demo.match, ...change(demo.match) } } });
  });
}

/** Returns the ids of the shown jobs, newest first. */
const jobIds = (page: Page) =>
  page.locator('.renders span[id]').evaluateAll((all) => all.map(({ id }) => id.replace('render-', '')));

/** Returns the id of the demo in the address. */
const openDemo = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('demo') ?? '';

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

describe.skipIf(!stage)('the landing page', () => {
  it('plays the newest clip of the local stack on demand, and says how to begin', async () => {
    const options = { colorScheme: 'light', bypassCSP: true, viewport: { width: 390, height: 844 } } as const;
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/`, options);
    const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const isVideo = (address: string) => address.includes('/video.mp4');
    await page.waitForFunction(() => performance.getEntriesByType('resource').length > 0);
    expect((await loaded()).filter(isVideo)).toEqual([]);
    // Other tests make newer clips.
    const [clip] = /\/clips\/[\da-f-]{36}(?=\/thumbnail.jpg)/.exec((await videoState(page)).poster) ?? [];
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
    expect(await videoState(page)).toMatchObject({ paused: false, muted: true, loop: true });
    expect((await loaded()).filter(isVideo)).not.toEqual([]);
    expect(await page.getByRole('heading', { name: 'How to begin' }).count()).toBe(1);
    expect(await page.getByText(`curl ${stage.baseUrl}/api/clips`).count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Open this clip' }).getAttribute('href')).toBe(clip);
    expect(await page.getByRole('link', { name: 'Read the docs' }).getAttribute('href')).toBe('/docs');
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page)).toEqual([]);
    expect(await layoutShift(page)).toEqual({ total: 0, of: [] });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!stage)('the studio', () => {
  it('makes a clip of a demo that is dropped, plays it, saves it, deletes it', async () => {
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page);
    await drop(page);
    const moments = highlights(page);
    await until(async () => expect(await moments.count()).toBeGreaterThan(0));
    await page.getByRole('heading', { name: 'match.dem' }).getByText('Mirage').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await moments.first().check();
    await page.getByText('1 shot · 6 s · drawn from above', { exact: true }).waitFor();
    await page.getByText('1080p · 30 fps').first().click();
    await page.getByLabel('Plain frame').check();
    // The HUD is for 16:9 alone.
    await page.getByLabel('Full HUD').check();
    await page.getByLabel('9:16').check();
    await page.getByText('1080p · 9:16 · 30 fps').first().waitFor();
    expect(await page.getByLabel('Killfeed only').isChecked()).toBe(true);
    for (const where of ['before', 'after']) await page.getByLabel(`Seconds ${where} a kill`).fill('0.5');
    // Each kill has its time, weapon and victim.
    const victims = [6, 7].map((index) => SHORT_MATCH.players[index]?.name);
    await page.getByText(`0:09 AK-47 headshot → ${victims[0]}`).waitFor();
    await page.getByText(`0:10 AK-47 → ${victims[1]}`).waitFor();
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await statusOf(page, 'Done').waitFor();
    const { clips, jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey: stage.meteredKey });
    const padding = { pre_kill_padding: 0.5, post_kill_padding: 0.5 };
    const order = { fps: 30, resolution: 1080, aspect: '9:16', thumbnail_style: 'none', merge_gap: 5, ...padding };
    // The list lags behind the job.
    await until(async () => {
      const [newest] = (await clips.list().page()).clips;
      expect((await jobs.get(newest?.job_id ?? '')).payload).toMatchObject(order);
    });
    const watch = page.getByRole('button', { name: /^Watch / });
    await until(async () => expect(await watch.count()).toBeGreaterThan(1));
    await watch.first().click();
    await until(async () => {
      expect(await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)).toBeGreaterThan(0.2);
    });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    // A card has the date and the picture of its clip.
    await page
      .getByText(/^\d+ \w+ \d{4}, \d\d:\d\d · 1080p · 30 fps$/)
      .first()
      .waitFor();

    // A failed clip shows why, and what to do. The host is paused, so that there is time to cancel the job.
    await hold('paused');
    await moments.first().check();
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await renders(page)
      .getByRole('button', { name: /^Cancel / })
      .click();
    await statusOf(page, 'Canceled').waitFor();
    const more = renders(page).getByRole('link', { name: 'More on canceled' });
    expect(await more.getAttribute('href')).toBe(`${stage.baseUrl}/docs/errors/canceled`);
    expect(await axeViolations(page)).toEqual([]);
    await hold(null);
    const shown = page.locator('.gallery img');
    const newest = await shown.first().getAttribute('src');
    await page
      .getByRole('button', { name: /^Delete / })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete the clip' }).click();
    await until(async () => {
      expect(await shown.evaluateAll((all) => all.map((img) => img.getAttribute('src')))).not.toContain(newest);
    });
    expect(complaints).toEqual([]);
  });

  it('follows eight clips in the making at once over plain http, and still answers requests', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openStudio({ baseUrl: `http://plain.test:${new URL(stage.baseUrl).port}`, apiKey });
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    const { jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey });
    await hold('paused');
    const making = renders(page).getByRole('listitem');
    const moment = highlights(page).first();
    for (let count = 1; count <= 8; count++) {
      await moment.check();
      await page.getByRole('button', { name: 'Render 1 clip' }).click();
      await until(async () => expect(await making.count()).toBe(count));
    }
    const made = await jobIds(page);
    for (const ids of [made.slice(2, 6), [...made.slice(0, 2), ...made.slice(6)]]) {
      const canceled = await statusOf(page, 'Canceled').count();
      await Promise.all(ids.map((id) => jobs.cancel(id)));
      await until(async () => expect(await statusOf(page, 'Canceled').count()).toBe(canceled + 4));
    }
    // The link comes with the last response about the job, which may follow the text.
    await until(async () => expect(await page.getByRole('link', { name: 'More on canceled' }).count()).toBe(8));
    await hold(null);
  });

  it('makes one clip of a moment whose answer was lost, and keeps boxes that are ticked meanwhile', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    // Another player has a kill too.
    await changeMatch(page, ({ players, kills: [kill] }) => ({
      players: players.map((player, index) => ({ ...player, kills: [1, 3].includes(index) ? 1 : 0 })),
      kills: [kill, { ...kill, attacker: 3 }],
    }));
    await signIn(page, apiKey);
    await drop(page);
    await highlights(page).first().waitFor();
    const { jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey });
    await hold('paused');
    const arrived = Promise.withResolvers<string>();
    const release = Promise.withResolvers<void>();
    await page.route('**/api/clips', async (route) => {
      arrived.resolve(((await (await route.fetch()).json()) as { job_id: string }).job_id);
      await release.promise;
      await route.fulfill({ status: 501 });
    });
    const moment = highlights(page).first();
    const cell = page.getByRole('button', { name: `1 kill by ${SHORT_MATCH.players[3]?.name}, round 1` });
    await moment.check();
    const make = page.getByRole('button', { name: /^Render \d clip/ });
    await make.click();
    const jobId = await arrived.promise;
    await cell.click();
    release.resolve();
    await page.getByRole('alert').filter({ hasText: '501' }).waitFor();
    await until(async () => expect(await cell.getAttribute('aria-pressed')).toBe('true'));
    await cell.click();
    await page.unroute('**/api/clips');
    await make.click();
    await until(async () => expect(await jobIds(page)).toEqual([jobId]));
    await jobs.cancel(jobId);
    await hold(null);
  });

  it('cuts a moment out of the replay, shows the request, and keeps it on a reload', async () => {
    const { apiKey } = await newAccount();
    const { page, complaints } = await openStudio({ apiKey });
    const replay = page.getByRole('group', { name: 'Replay' });
    const frame = page.frameLocator('iframe[title="Replay of the match"]');
    const played = () => frame.getByRole('slider', { name: 'Time' }).inputValue().then(Number);
    await frame.getByRole('button', { name: 'Play' }).waitFor();
    // It begins around the first kill, at tick 640.
    await until(async () => expect(await frame.locator('[data-clock]').textContent()).toBe('0:00 / 0:05'));
    await replay.getByRole('button', { name: /→/ }).last().click();
    const [start, end] = ['Start', 'End'].map((name) => replay.getByRole('slider', { name }));
    await until(async () => expect([await start?.inputValue(), await end?.inputValue()]).toEqual(['512', '832']));
    await end?.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    await replay.getByText('6.0 s').waitFor();
    await until(async () => expect(await played()).toBe(6));
    await replay.getByRole('button', { name: 'Look' }).click();
    await until(async () => expect(await played()).toBeLessThan(5));
    await until(async () => expect(await played()).toBe(6));
    await replay.getByRole('button', { name: 'Add this moment' }).click();
    const request = page.locator('.requests');
    await request.locator('summary').click();
    const [json = '', curl = ''] = await request.locator('pre').allTextContents();
    const order = JSON.parse(json);
    expect(order.timeline).toEqual([{ steam64_id: SHORT_MATCH.players[1]?.steamId, start_tick: 512, end_tick: 896 }]);
    expect(curl).toContain(`curl -X POST ${stage.baseUrl}/api/clips -H "Authorization: Bearer $API_KEY"`);
    expect(JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '')).toEqual(order);
    expect(curl).not.toContain(apiKey);
    expect(await axeViolations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await until(async () => expect((await jobIds(page)).length).toBe(1));
    const { jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey });
    const { payload } = await jobs.get((await jobIds(page))[0] ?? '');
    expect(payload.timeline).toEqual(order.timeline);
    expect(complaints).toEqual([]);
  });

  it('keeps the key in its tab until the user signs out, which ends an upload', async () => {
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page);
    await page.reload();
    await page.getByRole('heading', { name: 'Open a demo' }).waitFor();
    await page.route('**/api/uploads', () => {});
    const begun = page.waitForRequest('**/api/uploads');
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/uploads'));
    await drop(page);
    await begun;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your API key').waitFor();
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED');
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  });

  it('shows each ready clip once, however fast somebody asks for more', async () => {
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    // The first two pages have one clip each, the third one has all others.
    const pages = /\/api\/clips\?.*limit=24/;
    let loads = 0;
    await page.route(pages, (route) => {
      const url = route.request().url();
      return route.continue({ url: loads++ < 2 ? url.replace('limit=24', 'limit=1') : url });
    });
    await signIn(page);
    const shown = page.getByRole('region', { name: 'Your clips' }).getByRole('listitem');
    await until(async () => expect(await shown.count()).toBe(1));
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    await page.route(pages, async (route) => {
      asked.push(route.request().url());
      await held.promise;
      await route.fallback();
    });
    const more = page.getByRole('button', { name: 'More' });
    await more.click();
    await more.click();
    await until(async () => expect(asked.length).toBeGreaterThan(0));
    held.resolve();
    await until(async () => expect(await shown.count()).toBe(2));
    expect(asked.length).toBe(1);
    expect(asked.every((url) => url.includes('state=ready'))).toBe(true);
    if (await more.isVisible()) await more.click();
    await more.waitFor({ state: 'hidden' });
    const links = await shown.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(new Set(links).size).toBe(links.length);
    expect(await page.getByText('There are none yet.').count()).toBe(0);
  });

  it('refuses what is no demo before it is uploaded, and explains a demo of another game', async () => {
    const { apiKey } = await newAccount();
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    const uploads: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && uploads.push(request.url()));
    await signIn(page, apiKey);
    const alert = page.getByRole('alert');
    const link = alert.getByRole('link');
    await drop(page, Buffer.from('<!doctype html>'), 'match.html');
    await alert.filter({ hasText: 'match.html is an HTML page.' }).waitFor();
    expect(await link.getAttribute('href')).toBe('/docs/errors/demo_failed_parse');
    await drop(page, Buffer.from('HL2DEMO\0 of 2014'), 'old.dem');
    await alert.filter({ hasText: 'This is a demo of CS:GO, not of Counter-Strike 2.' }).waitFor();
    expect(await link.getAttribute('href')).toBe('/docs/errors/demo_incompatible');
    await page.getByText('or choose a file: .dem, plain or as .gz, .bz2, .zst, .zip, .rar').waitFor();
    const chooser = await page.locator('input[type=file]').getAttribute('accept');
    expect(chooser?.split(',')).toEqual(expect.arrayContaining(['.rar', '.7z']));
    await drop(page, Buffer.from('377abcaf271c0004', 'hex'), 'match.7z');
    await alert
      .filter({ hasText: 'match.7z is a .7z archive, which is not supported: send the demo as it is' })
      .waitFor();
    expect(await link.getAttribute('href')).toBe('/docs/errors/decompress_failed');
    await drop(page, Buffer.alloc(0), 'empty.dem');
    await alert.filter({ hasText: 'empty.dem is empty.' }).waitFor();
    await drop(page, Buffer.alloc(9, 1), 'noise.dem');
    await alert.filter({ hasText: 'noise.dem is not a demo, nor a .gz, .bz2, .zst, .zip or .rar with one.' }).waitFor();
    expect(uploads).toEqual([]);

    await hold('paused');
    const { host, take } = await newHost();
    await drop(page, await newDemo(), 'deadlock.dem');
    await page.getByText('Inspecting the demo').waitFor();
    const facts = { game: 'citadel' };
    await host.report(await take(openDemo(page)), 'fail', { code: 'demo_incompatible', detail: 'citadel', facts });
    await alert.filter({ hasText: 'This is a demo of Deadlock, not of Counter-Strike 2.' }).waitFor();
    await link.click();
    await page.getByRole('heading', { name: 'demo_incompatible' }).waitFor();
    // A reload shows the same, also after the way back.
    await page.goBack();
    await alert.filter({ hasText: 'This is a demo of Deadlock' }).waitFor();

    await page.goto(`${stage.baseUrl}/studio`);
    await drop(page, await newDemo(), 'series.dem');
    await page.getByText('Inspecting the demo').waitFor();
    const several = { code: 'decompress_failed', detail: 'two demos', facts: { demos: ['m1.dem', 'm2 b.dem'] } };
    await host.report(await take(openDemo(page)), 'fail', several);
    await alert.filter({ hasText: 'Its demos are m1.dem, m2 b.dem.' }).waitFor();
    await page
      .getByRole('group', { name: 'Demos of the archive' })
      .getByRole('button', { name: 'Open m2 b.dem' })
      .click();
    await page.getByText('Inspecting the demo').waitFor();
    await hold(null);
    await page.getByRole('heading', { name: 'series.dem' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('survives a reload while a demo is uploaded, inspected and open, and opens it by its address', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page, apiKey);
    const demo = await newDemo();
    const parts = /\/api\/uploads\/.*part=/;
    await page.route(parts, () => {});
    const begun = page.waitForRequest(parts);
    await drop(page, demo, 'final.dem');
    await begun;
    await page.reload();
    await page.getByText('The upload of final.dem has not finished. Choose the file again to resume it.').waitFor();
    await page.unroute(parts);

    await hold('paused');
    await drop(page, demo, 'final.dem');
    await page.getByText('Inspecting the demo').waitFor();
    await page.reload();
    await page.getByText('Inspecting the demo').waitFor();
    expect(await page.getByText('has not finished').count()).toBe(0);
    await hold(null);
    await page.getByRole('heading', { name: 'final.dem' }).waitFor();

    await highlights(page).first().check();
    await page.getByText('1080p · 30 fps').first().click();
    await page.getByLabel('Frame rate').selectOption('60');
    await page.reload();
    await until(async () => expect(await highlights(page).first().isChecked()).toBe(true));
    await page.getByText('1080p · 60 fps').first().waitFor();
    await page.getByRole('button', { name: 'Render 1 clip' }).waitFor();

    // The address is enough for a colleague. Another account learns nothing.
    const colleague = await openPage(browser, page.url(), SCREEN);
    await signIn(colleague.page, apiKey);
    await colleague.page.getByRole('heading', { name: 'final.dem' }).waitFor();
    expect(await highlights(colleague.page).first().isChecked()).toBe(true);
    const stranger = await openPage(browser, page.url(), SCREEN);
    await signIn(stranger.page);
    await stranger.page.getByRole('alert').filter({ hasText: 'More on not_found' }).waitFor();
  });

  it('survives a reload while a job is queued, rendered, failed and done, in two tabs at once', async () => {
    const { apiKey } = await newAccount();
    const opened = await openStudio({ apiKey, options: PHONE });
    const { page } = opened;
    await hold('paused');
    const { host, take } = await newHost();
    const label = `2 kills by ${SHORT_MATCH.players[1]?.name}, round 1`;
    const render = async () => {
      await highlights(page).first().check();
      await page.getByRole('button', { name: 'Render 1 clip' }).click();
      await statusOf(page, 'Queued').waitFor();
    };
    await render();
    // The progress is in view of a phone, where the button was.
    await until(async () => {
      const box = await renders(page).getByRole('progressbar').boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(PHONE.viewport.height);
    });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await signIn(other, apiKey);
    const both = async (shows: (tab: Page) => Promise<unknown>) => {
      await page.reload();
      for (const tab of [page, other]) await shows(tab);
    };
    const shows = (status: string) => (tab: Page) =>
      renders(tab).getByRole('listitem').filter({ hasText: label }).filter({ hasText: status }).waitFor();
    await both(shows('Queued'));
    const [jobId = ''] = await jobIds(page);
    const grant = await take(jobId);
    await host.heartbeat(grant, 'render', 0.4);
    await both(shows('Rendering 40 %'));
    await host.complete(grant);
    await shows('Done')(other);
    await other.getByRole('link', { name: `Open the clip: ${label}` }).waitFor();
    await both((tab) => tab.getByRole('button', { name: /^Watch 2 kills/ }).waitFor());
    expect(await renders(page).count()).toBe(0);

    await render();
    // The other tab lists the job when the user looks at it again.
    await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shows('Queued')(other);
    const [failing = ''] = await jobIds(page);
    const facts = { round_asked: 1, rounds: [2] };
    await host.report(await take(failing), 'fail', { code: 'no_kills_found', detail: 'none', facts });
    const why = 'The player has no kills in round 1. They have some in round 2: ask for that.';
    await both((tab) => renders(tab).getByText(why).waitFor());
    await render();
    await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await other.getByRole('button', { name: `Cancel ${label}` }).click();
    await statusOf(page, 'Canceled').waitFor();
    await hold(null);
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it('lists the clip of a job whose notice comes before the clip is in the list', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openStudio({ apiKey });
    let isListed = false;
    await page.route('**/api/jobs/*?include=diagnosis', async (route) => {
      const response = await route.fetch();
      isListed = true;
      await route.fulfill({ response });
    });
    await page.route('**/api/clips?*', (route) =>
      isListed ? route.continue() : route.fulfill({ json: { clips: [], next_cursor: null } }),
    );
    await highlights(page).first().check();
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await page.getByRole('button', { name: /^Watch 2 kills/ }).waitFor();
  });

  it('opens a demo that a game server has sent, and has a rule made, tried, paused and deleted', async () => {
    const { id, apiKey } = await newAccount();
    const server = await operate()('createKey', { params: { id }, body: { kind: 'metered', scope: 'ingest' } });
    const url = `${stage.baseUrl}/api/ingest?tag=league`;
    const header = ['X-Api-Key', server.key] as const;
    const match = { matchId: 17, mapNumber: 1, roundNumber: 24, fileName: 'de_mirage_17.dem' };
    expect(await sendAsMatchZy({ url, file: stage.demoPath, header, ...match })).toMatchObject({ status: 201 });
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, PHONE);
    await signIn(page, apiKey);
    await page.getByText(/^From a game server · league · match 17 · map 1 · round 24 · 1 MB · /).waitFor();
    await page.getByText('How a game server sends its demos').click();
    await page.getByText(`matchzy_demo_upload_url "${stage.baseUrl}/api/ingest"`).waitFor();
    await page.getByRole('button', { name: /^Open de_mirage_17.dem, / }).click();
    await page.getByRole('heading', { name: 'de_mirage_17.dem' }).waitFor();

    await page.getByRole('button', { name: 'Account', exact: true }).click();
    const rules = page.getByRole('region', { name: 'Rules' });
    await page.getByRole('heading', { name: 'Rules' }).click();
    await rules.getByText('A rule renders and sends clips by itself').waitFor();
    await rules.getByText('New rule', { exact: true }).click();
    const form = rules.getByRole('form', { name: 'New rule' });
    await form.getByLabel('Name', { exact: true }).fill('League');
    await form.getByText('A clip costs as much as one that you submit.').waitFor();
    await form.getByLabel('Only demos tagged').fill('league, cup,');
    const discord = form.getByLabel('Webhook of a Discord channel');
    await discord.fill('https://discord.example/api/webhooks/1/t');
    const create = form.getByRole('button', { name: 'Create the rule' });
    await create.click();
    await until(async () => expect(await discord.getAttribute('aria-invalid')).toBe('true'));
    await discord.fill('https://discord.com/api/webhooks/1/the-secret');
    await create.click();
    await rules.getByText('The best 3 moments, tagged league or cup').waitFor();
    await rules.getByText('Sent to https://discord.com/api/webhooks/1/…').waitFor();
    await rules.getByText('Today 0 of 50 clips, 0 of 20 demos').waitFor();
    expect(await discord.inputValue()).toBe('');
    expect(await page.content()).not.toContain('the-secret');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page)).toEqual([]);
    }
    expect(await fits(page)).toBe(true);

    await rules.getByRole('button', { name: 'Try League' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show the clips' }).click();
    await dialog.getByText(`${SHORT_MATCH.players[1]?.name}, round 1: 1 shot · 6 s`).waitFor();
    await page.keyboard.press('Escape');
    await rules.getByRole('button', { name: 'Resume League' }).click();
    await rules.getByRole('button', { name: 'Pause League' }).click();
    await rules.getByRole('button', { name: 'Resume League' }).waitFor();
    await rules.getByRole('button', { name: 'Delete League' }).click();
    await dialog.getByRole('button', { name: 'Delete the rule' }).click();
    await rules.getByText('A rule renders and sends clips by itself').waitFor();
    expect(complaints).toEqual([]);
  });

  it('asks for a key again when it was revoked, and keeps what was open', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openStudio({ apiKey });
    await highlights(page).first().check();
    // The service remembers a key for half a minute after its last use, so the tab gets one that was never used.
    const revoked = await newAccount();
    await revoked.revoke();
    await page.evaluate((key) => sessionStorage.setItem('studio-key', key), revoked.apiKey);
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'A valid API key is required.' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await signIn(page, apiKey);
    await until(async () => expect(await highlights(page).first().isChecked()).toBe(true));
  });

  it('goes on with an upload after the connection was lost, and says so meanwhile', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page, apiKey);
    await page.context().setOffline(true);
    await drop(page, await newDemo());
    await page.getByText('The service cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'match.dem' }).waitFor();
    expect(await page.getByText('The service cannot be reached.').count()).toBe(0);
    await page.context().setOffline(true);
    await highlights(page).first().check();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await statusOf(page, 'Done').waitFor();
  });

  it('plans, and lists jobs, by itself after an outage that is longer than the usual retries', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openStudio({ apiKey });
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(new URL(request.url()).pathname));
    await page.clock.install();
    await page.context().setOffline(true);
    await highlights(page).first().check();
    const notice = page.getByText('The service cannot be reached.');
    await notice.waitFor();
    for (const path of ['/api/plan', '/api/jobs']) {
      await until(async () => {
        await page.clock.runFor(10_000);
        expect(failed.filter((each) => each === path).length).toBeGreaterThan(5);
      });
    }
    await page.context().setOffline(false);
    await until(async () => {
      await page.clock.runFor(10_000);
      expect(await notice.count()).toBe(0);
      expect(await page.getByText('1 shot · 6 s · drawn from above', { exact: true }).count()).toBe(1);
    });
  });

  it('shows the outcome of a job whose cancel was refused', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openStudio({ apiKey });
    await hold('paused');
    const refusal = { type: '#job_finished', title: 'No', status: 409, detail: 'It cannot be canceled.' };
    await page.route('**/cancel', (route) => route.fulfill({ status: 409, json: refusal }));
    await highlights(page).first().check();
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await page.getByRole('button', { name: /^Cancel / }).click();
    await statusOf(page, refusal.detail).waitFor();
    await hold(null);
    await statusOf(page, 'Done').waitFor();
  });

  it('shows the length and the price of what is ticked, if the service plans', async () => {
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    const asked: unknown[] = [];
    await page.route('**/api/plan', async (route) => {
      asked.push(route.request().postDataJSON());
      const price = { amount: 0.25, currency: 'EUR' };
      const more = asked.length > 1 ? { price, is_estimate: true } : {};
      const shot = { steam64_id: '1', round: 1, start_tick: 64, end_tick: 512, seconds: 6.8, kill_ticks: [] };
      await route.fulfill({ json: { seconds: 13.6, shots: [shot, shot], renderer: 'radar', ...more } });
    });
    await signIn(page);
    await drop(page);
    await highlights(page).first().check();
    await page.getByText('2 shots · 14 s · drawn from above', { exact: true }).waitFor();
    await page.getByText('1080p · 30 fps').first().click();
    await page.getByLabel('Frame rate').selectOption('60');
    await page.getByText('2 shots · about 14 s · €0.25').waitFor();
    expect(asked).toMatchObject([
      { round: 1, fps: 30 },
      { round: 1, fps: 60 },
    ]);
    await page.unroute('**/api/plan');
    await page.route('**/api/plan', (route) => route.fulfill({ status: 404 }));
    await page.getByLabel('Frame rate').selectOption('120');
    await page.getByText('2 shots').waitFor({ state: 'detached' });
    await page.unroute('**/api/plan');
    const detail = 'The clip would have 900 seconds, and 600 is the most.';
    const refusal = { status: 422, json: { type: '#clip_impossible', title: 'No', status: 422, detail } };
    await page.route('**/api/plan', (route) => route.fulfill(refusal));
    await page.getByLabel('Seconds after a kill').fill('5');
    await page.getByText(detail).waitFor();
  });

  it('shows the shots and cards of a clip, and takes views, speeds, cards and music', async () => {
    const { apiKey } = await newAccount();
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, PHONE);
    const [name, ...victims] = [1, 6, 7].map((index) => SHORT_MATCH.players[index]?.name);
    await changeMatch(page, ({ highlights: [moment], players }) => {
      const range = { steam64_id: players[1]?.steam64_id ?? '', start_tick: 512, end_tick: 768 };
      const request = { demo_url: moment?.request.demo_url, timeline: [range] };
      return { highlights: [moment, { ...moment, kind: 'last_second_defuse', request }] };
    });
    await signIn(page, apiKey);
    await drop(page);
    await highlights(page).first().check();
    const lines = () => page.locator('ol > li:visible').allTextContents();
    await page.getByText('Shots', { exact: true }).click();
    await until(async () => expect(await lines()).toEqual([`0:06 · ${name} · 2 kills · 6.0 s`]));

    await page.getByText('1080p · 30 fps').first().click();
    const field = (label: string) => page.getByLabel(label);
    await field('Kills are seen by').selectOption('both');
    await field('Title card').check();
    await field('Seconds of a card').fill('2');
    await until(async () =>
      expect(await lines()).toEqual([
        'Title · 2.0 s',
        `0:06 · ${name} · 2 kills · 6.0 s`,
        ...victims.map((victim, at) => `0:0${6 + at} · ${victim} · killed by ${name} · 4.0 s`),
      ]),
    );
    await field('Kills are seen by').selectOption('killer');
    await field('Speed at kills').selectOption('0.5');
    await until(async () =>
      expect(await lines()).toEqual(['Title · 2.0 s', `0:06 · ${name} · 2 kills · slowed to 0.5× · 7.9 s`]),
    );

    await page.getByRole('button', { name: 'Clear' }).click();
    await highlights(page).nth(1).check();
    await field('Speed at kills').selectOption('1');
    await field('Title card').uncheck();
    await field('Speed of a defuse').fill('2');
    await until(async () => expect(await lines()).toEqual([`0:07 · ${name} · 2 kills · 2× · 2.0 s`]));
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);

    // Assets are uploaded, chosen, and there after a reload.
    const upload = async (label: string, file: Parameters<FileChooser['setFiles']>[0]) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: `Upload: ${label}` }).click();
      await (await chooser).setFiles(file);
    };
    await upload('Intro', stage.demoPath);
    await page.getByRole('alert').filter({ hasText: 'More on unsupported_media_type' }).waitFor();
    // What is changed while a file is sent is kept.
    const sent = Promise.withResolvers<void>();
    await page.route('**/api/assets?*', (route) => sent.promise.then(() => route.continue()), { times: 1 });
    await upload('Intro', join(import.meta.dirname, '../../src/static/sample-clip.jpg'));
    await page.getByText('Uploading …').waitFor();
    await field('Damage numbers').check();
    sent.resolve();
    await until(async () => expect((await lines())[0]).toBe('Intro · 3.0 s'));
    expect(await field('Damage numbers').isChecked()).toBe(true);
    await upload('Music', { name: 'a.wav', mimeType: 'audio/x-wav', buffer: Buffer.from(SOUNDS.wav) });
    await until(async () => expect(await field('Music').locator(':checked').textContent()).toBe('a.wav'));
    await upload('Music', { name: 'a.ogg', mimeType: 'video/ogg', buffer: Buffer.from(SOUNDS.vorbis) });
    await until(async () => expect(await field('Music').locator(':checked').textContent()).toBe('a.ogg'));
    await page.reload();
    await page.getByText('1080p · 30 fps').first().click();
    await until(async () => expect(await field('Intro').locator(':checked').textContent()).toBe('sample-clip.jpg'));
    await page.getByRole('button', { name: 'Render 1 clip' }).click();
    await statusOf(page, 'Done').waitFor();
    const { assets, jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey });
    const [music, , intro] = (await assets.list().page()).assets;
    const [job] = (await jobs.list().page()).jobs;
    expect((await jobs.get(job?.id ?? '')).payload).toMatchObject({
      timeline: [{ speed: 2 }],
      intro_asset_id: intro?.id,
      music_asset_id: music?.id,
    });

    // A deleted one is named beside the button until another is chosen.
    await assets.delete(intro?.id ?? '');
    await page.reload();
    await highlights(page).first().check();
    await page.getByRole('status').filter({ hasText: 'intro_asset_id must be' }).waitFor();
    await page.getByText('1080p · 30 fps · shots up to 5 s apart are joined').first().click();
    await until(async () => expect(await field('Intro').locator(':checked').textContent()).toBe('not found'));
    await field('Intro').first().selectOption('none');
    await field('Join shots up to … s apart').fill('0');
    await page.getByText('1 shot · 6 s · drawn from above', { exact: true }).waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is used with the keyboard alone, also with names of 160 characters', async () => {
    const { apiKey } = await newAccount();
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, {
      ...PHONE,
      viewport: { width: 390, height: 844 },
    });
    await changeMatch(page, ({ players }) => ({
      players: players.map((player, index) => ({ ...player, name: `${index}`.repeat(160) })),
    }));
    const { keyboard } = page;
    const tabTo = async (name: string | RegExp, role: Parameters<Page['getByRole']>[0] = 'button') => {
      const target = page.getByRole(role, { name }).first();
      await until(async () => {
        await keyboard.press('Tab');
        expect(await target.evaluate((element) => element === document.activeElement)).toBe(true);
      });
    };
    await page.getByLabel('Your API key').waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type(apiKey);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Open a demo' }).waitFor();
    const chooser = page.waitForEvent('filechooser');
    await until(async () => {
      await keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('file');
    });
    await keyboard.press('Space');
    await (await chooser).setFiles({ name: `${'m'.repeat(156)}.dem`, mimeType: '', buffer: await newDemo() });
    await highlights(page).first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('match');
    await tabTo(/^2 kills by 1{160}, round 1/);
    await keyboard.press('Space');
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await tabTo('Render 1 clip');
    await keyboard.press('Enter');
    await statusOf(page, 'Done').waitFor();
    await tabTo(/^Open the clip/, 'link');
    expect(await fits(page)).toBe(true);
    await tabTo(/^Watch /);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

/** It holds the stack's host, as other tests of this file do. */
describe.skipIf(!stage)('the replay of a job', () => {
  it('becomes the clip at the same tick when it is made, and back', async () => {
    const { baseUrl, demoUrl, meteredKey } = stage;
    const client = createTickreel({ baseUrl, apiKey: meteredKey });
    const drawn = (page: Page) =>
      page.waitForFunction(() => document.querySelector('[data-state]')?.textContent === '');
    const time = (page: Page) => page.getByRole('slider', { name: 'Time' });
    await hold('paused');
    const timeline = [{ steam64_id: SHORT_MATCH.players[1]?.steamId ?? '', start_tick: 640, end_tick: 960 }];
    const { job_id } = await client.clips.submit({ demo_url: demoUrl, timeline });
    const { replay } = await client.jobs.replay(job_id);
    const { page, complaints } = await openPage(browser, replay ?? '', { reducedMotion: 'reduce' });
    await drawn(page);
    expect(await page.locator('[data-clock]').textContent()).toBe('0:00 / 0:05');
    await page.getByText('The clip is being made').waitFor();
    await time(page).fill('2.5');
    await hold(null);
    await client.jobs.wait(job_id);
    await until(async () => expect(await videoState(page)).toMatchObject({ currentTime: 2.5, paused: true }));
    expect(await page.locator('canvas').isVisible()).toBe(false);
    expect(await page.locator('video').isVisible()).toBe(true);
    await page.locator('video').evaluate((video: HTMLVideoElement) => {
      video.currentTime = 1;
    });
    await page.getByRole('button', { name: 'Show the replay' }).click();
    await until(async () => expect(await time(page).inputValue()).toBe('1'));
    expect(await page.locator('canvas').isVisible()).toBe(true);
    expect(complaints).toEqual([]);

    // Opened now, it shows the clip first; with a moment, the replay.
    const later = await openPage(browser, replay ?? '', { reducedMotion: 'reduce' });
    await until(async () => expect(await later.page.locator('video').isVisible()).toBe(true));
    const moment = await openPage(browser, `${replay}?from=700`, { reducedMotion: 'reduce' });
    await drawn(moment.page);
    expect(await moment.page.locator('video').isVisible()).toBe(false);
    expect(await moment.page.locator('[data-clock]').textContent()).toBe('0:00 / 0:04');
  });
});
