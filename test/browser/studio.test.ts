import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '../../client/index.ts';
import { launchChromium } from './support/browser.ts';
import { axeViolations, layoutShift, openPage, until, videoState } from './support/open-page.ts';
import type { Stage } from './support/stage.ts';

const stage = inject('stage') as Stage;

/** A phone, where the tables have to scroll within themselves. */
const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, colorScheme: 'dark', bypassCSP: true } as const;
const SCREEN = { viewport: { width: 1280, height: 900 }, colorScheme: 'light', bypassCSP: true } as const;

let browser: Browser;
beforeAll(async () => {
  if (stage) browser = await launchChromium();
});
afterAll(() => browser?.close());

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Your API key').fill(stage.meteredKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A match' }).waitFor();
}

/** Drops the demo where files belong, as a hand would. */
async function drop(page: Page): Promise<void> {
  const bytes = [...(await readFile(stage.demoPath))];
  const dataTransfer = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], 'match.dem'));
    return transfer;
  }, bytes);
  await page.getByText('Drop a demo here').dispatchEvent('drop', { dataTransfer });
}

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

/** Here, before the studio makes newer clips, and deletes them. */
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
    await page.context().close();
  });
});

describe.skipIf(!stage)('the studio', () => {
  it('makes a clip of a demo that is dropped, plays it, keeps it, deletes it', { timeout: 150_000 }, async () => {
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
    await making.getByText('is ready').waitFor({ timeout: 100_000 });
    const { clips } = createTickreel({ baseUrl: stage.baseUrl, apiKey: stage.meteredKey });
    // Two kills a second apart, and half a second around them.
    await until(async () =>
      expect((await clips.list().page()).clips[0]).toMatchObject({ fps: 30, duration_seconds: 2 }),
    );
    const watch = page.getByRole('button', { name: /^Watch / });
    await until(async () => expect(await watch.count()).toBeGreaterThan(1));
    await watch.first().click();
    await until(async () => {
      expect(await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)).toBeGreaterThan(0.2);
    });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep' }).first().click();
    await page.getByRole('button', { name: 'Kept' }).waitFor();

    // Of one that fails it says why, and what to do. Its host is kept from it, so that there is time to cancel it.
    const operate = async (method: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${stage.adminToken}`, 'Content-Type': 'application/json' };
      const answer = await fetch(stage.baseUrl + path, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return (await answer.json()) as { hosts: { host_id: string; name: string }[] };
    };
    // The stack's own: others are of other tests.
    const { hosts } = await operate('GET', '/admin/hosts');
    const host = hosts.find(({ name }) => name === 'local');
    const hold = (held: string | null) => operate('PATCH', `/admin/hosts/${host?.host_id}`, { hold: held });
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
    expect(await cell.getAttribute('aria-pressed')).toBe('true');
    const make = page.getByRole('button', { name: 'Make 1 clip' });
    expect(await make.isEnabled()).toBe(true);
    const background = (of: typeof cell) => of.evaluate((element) => getComputedStyle(element).backgroundColor);
    // What is ticked stands out, and can be read.
    expect(await background(cell)).toBe(await background(make));
    expect(await fits(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Your API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
