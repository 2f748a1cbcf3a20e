import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { axeViolations, connectChromium, layoutShift, openPage, until, videoState } from './support/open-page.ts';
import type { Stage } from './support/stage.ts';

const stage = inject('stage') as Stage;

/** A phone, on which the tables scroll inside of themselves. */
const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, colorScheme: 'dark', bypassCSP: true } as const;
const SCREEN = { viewport: { width: 1280, height: 900 }, colorScheme: 'light', bypassCSP: true } as const;

let browser: Browser;
beforeAll(async () => {
  if (stage) browser = await connectChromium();
});
afterAll(() => browser?.close());

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Your API key').fill(stage.meteredKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A match' }).waitFor();
}

/** Drops the demo on the area for files, like a user. */
async function drop(page: Page): Promise<void> {
  const bytes = [...(await readFile(stage.demoPath))];
  const dataTransfer = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], 'match.dem'));
    return transfer;
  }, bytes);
  await page.getByText('Drop a demo here').dispatchEvent('drop', { dataTransfer });
}

/** Pauses the stack's own host, or resumes it. Other hosts belong to other tests. */
async function hold(held: 'paused' | null): Promise<void> {
  const operate = (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${stage.adminToken}`, 'Content-Type': 'application/json' };
    return fetch(stage.baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  };
  const { hosts } = (await (await operate('GET', '/admin/hosts')).json()) as {
    hosts: { host_id: string; name: string }[];
  };
  const host = hosts.find(({ name }) => name === 'local');
  await operate('PATCH', `/admin/hosts/${host?.host_id}`, { hold: held });
}

/** Opens the studio with the demo, ready to tick moments. */
async function openStudio(baseUrl = stage.baseUrl) {
  const opened = await openPage(browser, `${baseUrl}/studio`, SCREEN);
  await signIn(opened.page);
  await drop(opened.page);
  await opened.page.getByRole('group', { name: 'Best moments' }).getByRole('checkbox').first().waitFor();
  return opened;
}

/** Returns the ids of the shown jobs in the making, newest first. */
const jobIds = (page: Page) =>
  page.locator('.renders span[id]').evaluateAll((all) => all.map(({ id }) => id.replace('render-', '')));

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

/** Runs first: later tests make newer clips, and delete them. */
describe.skipIf(!stage)('the landing page', () => {
  it('plays the newest clip of the local stack on demand, and says how to begin', async () => {
    const options = { colorScheme: 'light', bypassCSP: true, viewport: { width: 390, height: 844 } } as const;
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/`, options);
    const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const isVideo = (address: string) => address.includes('/video.mp4');
    await page.waitForFunction(() => performance.getEntriesByType('resource').length > 0);
    expect((await loaded()).filter(isVideo)).toEqual([]);
    expect((await videoState(page)).poster).toContain(`/clips/${stage.clipId}/thumbnail.jpg`);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
    expect(await videoState(page)).toMatchObject({ paused: false, muted: true, loop: true });
    expect((await loaded()).filter(isVideo)).not.toEqual([]);
    expect(await page.getByRole('heading', { name: 'How to begin' }).count()).toBe(1);
    expect(await page.getByText(`curl ${stage.baseUrl}/api/clips`).count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Open this clip' }).getAttribute('href')).toBe(
      `/clips/${stage.clipId}`,
    );
    expect(await page.getByRole('link', { name: 'Read the docs' }).getAttribute('href')).toBe('/docs');
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page)).toEqual([]);
    expect(await layoutShift(page)).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!stage)('the studio', () => {
  it('makes a clip of a demo that is dropped, plays it, keeps it, deletes it', async () => {
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page);
    await drop(page);
    const moments = page.getByRole('group', { name: 'Best moments' }).getByRole('checkbox');
    await until(async () => expect(await moments.count()).toBeGreaterThan(0));
    expect(await axeViolations(page)).toEqual([]);
    await moments.first().check();
    await page.getByText('Picture: 1080 lines').click();
    await page.getByLabel('A plain frame').check();
    for (const where of ['before', 'after']) await page.getByLabel(`Seconds ${where} a kill`).fill('0.5');
    await page.getByRole('button', { name: 'Make 1 clip' }).click();
    const making = page.getByRole('region', { name: 'In the making' });
    await making.getByText('is ready').waitFor();
    const { clips, jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey: stage.meteredKey });
    const padding = { pre_kill_padding: 0.5, post_kill_padding: 0.5 };
    const order = { fps: 30, resolution: 1080, thumbnail_style: 'none', ...padding };
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
    await page.getByRole('button', { name: 'Keep' }).first().click();
    await page.getByRole('button', { name: 'Kept' }).waitFor();

    // A failed clip shows why, and what to do. The host is paused, so that there is time to cancel the job.
    await hold('paused');
    await moments.first().check();
    await page.getByRole('button', { name: 'Make 1 clip' }).click();
    await making.getByRole('button', { name: /^Cancel / }).click();
    await making.getByText('failed: canceled').waitFor();
    const more = making.getByRole('link', { name: 'More on canceled' });
    expect(await more.getAttribute('href')).toBe('/docs/errors/canceled');
    expect(await axeViolations(page)).toEqual([]);
    await hold(null);
    const before = await watch.count();
    await page
      .getByRole('button', { name: /^Delete / })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await until(async () => expect(await watch.count()).toBe(before - 1));
    expect(complaints).toEqual([]);
  });

  it('is used by the keyboard, fits on a phone, keeps the key in its tab, and says what is wrong', async () => {
    const { page, complaints } = await openPage(browser, `${stage.baseUrl}/studio`, PHONE);
    await page.getByLabel('Your API key').fill('tr_met_nobody');
    await page.keyboard.press('Enter');
    await until(async () =>
      expect(await page.getByRole('alert').textContent()).toBe('The service does not know this key.'),
    );
    expect(await axeViolations(page)).toEqual([]);
    await signIn(page);
    await page.getByLabel('or give its address').fill('http://127.0.0.1:1/closed.zip');
    await page.reload();
    await page.getByRole('heading', { name: 'A match' }).waitFor();
    await page.getByLabel(/Drop a demo here/).setInputFiles(stage.demoPath);
    const cell = page.getByRole('button', { name: /^\d+ kills? by .*round 1/ }).first();
    await cell.focus();
    await page.keyboard.press('Space');
    await until(async () => expect(await cell.getAttribute('aria-pressed')).toBe('true'));
    const make = page.getByRole('button', { name: 'Make 1 clip' });
    await until(async () => expect(await make.isEnabled()).toBe(true));
    const background = (of: typeof cell) => of.evaluate((element) => getComputedStyle(element).backgroundColor);
    // A ticked moment is highlighted and legible.
    await until(async () => expect(await background(cell)).toBe(await background(make)));
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Your API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('follows eight clips in the making at once over plain http, and still answers requests', async () => {
    const { page } = await openStudio(`http://plain.test:${new URL(stage.baseUrl).port}`);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    const { jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey: stage.meteredKey });
    await hold('paused');
    const making = page.getByRole('region', { name: 'In the making' }).getByRole('listitem');
    const moment = page.getByRole('group', { name: 'Best moments' }).getByRole('checkbox').first();
    for (let count = 1; count <= 8; count++) {
      await moment.check();
      await page.getByRole('button', { name: 'Make 1 clip' }).click();
      await until(async () => expect(await making.count()).toBe(count));
    }
    const made = await jobIds(page);
    for (const ids of [made.slice(2, 6), [...made.slice(0, 2), ...made.slice(6)]]) {
      const canceled = await making.getByText('failed: canceled').count();
      await Promise.all(ids.map((id) => jobs.cancel(id)));
      await until(async () => expect(await making.getByText('failed: canceled').count()).toBe(canceled + 4));
    }
    // The link comes with the last response about the job, which may follow the text.
    await until(async () => expect(await page.getByRole('link', { name: 'More on canceled' }).count()).toBe(8));
    await hold(null);
  });

  it('makes one clip of a moment whose answer was lost, and keeps boxes that are ticked meanwhile', async () => {
    const { page } = await openStudio();
    const { jobs } = createTickreel({ baseUrl: stage.baseUrl, apiKey: stage.meteredKey });
    await hold('paused');
    const arrived = Promise.withResolvers<string>();
    const release = Promise.withResolvers<void>();
    await page.route('**/api/clips', async (route) => {
      arrived.resolve(((await (await route.fetch()).json()) as { job_id: string }).job_id);
      await release.promise;
      await route.fulfill({ status: 501 });
    });
    const moment = page.getByRole('group', { name: 'Best moments' }).getByRole('checkbox').first();
    const cell = page.getByRole('button', { name: /^\d+ kills? by .*round 1/ }).first();
    await moment.check();
    const make = page.getByRole('button', { name: /^Make \d clip/ });
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

  it('ends an upload when the key is forgotten', async () => {
    const { page } = await openPage(browser, `${stage.baseUrl}/studio`, SCREEN);
    await signIn(page);
    await page.route('**/api/uploads', () => {});
    const begun = page.waitForRequest('**/api/uploads');
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/uploads'));
    await drop(page);
    await begun;
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Your API key').waitFor();
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED');
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
});
