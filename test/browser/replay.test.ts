import { randomInt } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  axeViolations,
  connectChromium,
  layoutShift,
  openPage,
  type PlayerJs,
  serveSite,
  until,
} from './support/open-page.ts';
import type { Stage } from './support/stage.ts';

const stage = inject('stage') as Stage;

declare const player: PlayerJs;
declare const received: [string, unknown][];

const STILL: BrowserContextOptions = { reducedMotion: 'reduce' };

const played = (page: Page) =>
  page.evaluate(() => Number(document.querySelector<HTMLInputElement>('.seek input')?.value));
const button = (page: Page) => page.getByRole('button', { name: /^(Play|Pause)$/ });
const labelOf = (page: Page) => page.locator('[data-toggle]').getAttribute('aria-label');
const trackRequests = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/tracks')).length);

/** Waits until a picture is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[data-state]')?.textContent === '');
}

/** Returns how many colours the picture has. */
const colours = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return new Set(new Uint32Array(Uint8ClampedArray.from(data).buffer)).size;
  });

describe.skipIf(!stage)('the page of a replay in a browser', () => {
  const { baseUrl, replayUrl } = stage ?? {};
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  it('plays at once, of few bytes and without a shift', async () => {
    const { page, complaints } = await openPage(browser, replayUrl);
    await drawn(page);
    const bytes = await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        // Letters beyond Western Europe are loaded after the first picture.
        .filter(({ name }) => !name.endsWith('-more.woff2'))
        .reduce((sum, { transferSize }) => sum + transferSize, 0),
    );
    expect(bytes).toBeLessThan(250_000);
    expect(await colours(page)).toBeGreaterThan(500);
    expect(await page.locator('[data-clock]').textContent()).toMatch(/^0:\d\d \/ 0:\d\d$/);
    await until(async () => expect(await played(page)).toBeGreaterThan(0.5));
    expect(await labelOf(page)).toBe('Pause');
    // The head, the first moment, and perhaps the next one.
    expect(await trackRequests(page)).toBeLessThanOrEqual(3);
    expect(complaints).toEqual([]);
    expect((await layoutShift(page)).total).toBeLessThan(0.1);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('does not begin by itself for viewers who asked for less motion', async () => {
    const { page } = await openPage(browser, replayUrl, STILL);
    await drawn(page);
    expect([await played(page), await labelOf(page)]).toEqual([0, 'Play']);
    await button(page).click();
    await until(async () => expect(await played(page)).toBeGreaterThan(0.2));
  });

  it('obeys its keys and its controls', async () => {
    const { page } = await openPage(browser, replayUrl, STILL);
    await drawn(page);
    const at = (seconds: number) => until(async () => expect(await played(page)).toBeCloseTo(seconds, 1));
    const length = await page.evaluate(() => Number(document.querySelector<HTMLInputElement>('.seek input')?.max));
    await page.keyboard.press('5');
    await at(length / 2);
    await page.keyboard.press('ArrowLeft');
    await at(length / 2 - 5);
    await page.keyboard.press('.');
    await at(length / 2 - 5 + 1 / 32);
    await page.getByRole('slider', { name: 'Time' }).fill('3');
    await at(3);
    await page.keyboard.press('ArrowRight');
    await at(8);
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('4×');
    await page.keyboard.press('k');
    await until(async () => expect(await labelOf(page)).toBe('Pause'));
    await until(async () => expect(await labelOf(page)).toBe('Play'));
    await at(length);
    await page.getByRole('combobox', { name: 'Round' }).selectOption('Round 1');
    await until(async () => expect(await played(page)).toBeLessThan(length / 2));
    await page.keyboard.press('f');
    await until(async () => expect(await page.evaluate(() => document.fullscreenElement?.className)).toBe('screen'));
    await page.keyboard.press('f');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
  });

  it('shows the moment of its address, and copies a link to another one', async () => {
    const options = { ...STILL, permissions: ['clipboard-read', 'clipboard-write'] };
    const { page } = await openPage(browser, `${replayUrl}?from=576&to=832&player=6&t=1`, options);
    await drawn(page);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await page.locator('[data-clock]').textContent()).toBe('0:01 / 0:04');
    expect(await page.getByRole('combobox', { name: /^Player/ }).inputValue()).toBe('6');
    // The marks of both kills.
    expect(await page.locator('.seek i').count()).toBe(2);
    await page.getByRole('combobox', { name: /^Player/ }).selectOption('2');
    await page.getByRole('slider', { name: 'Time' }).fill('2.5');
    await page.getByRole('button', { name: 'Copy link at 0:02' }).click();
    await page.getByRole('status').getByText('Copied the link at 0:02').waitFor();
    expect(await copied()).toBe(`${replayUrl}?from=576&to=832&player=2&t=2.5`);
    await page.getByRole('button', { name: 'Copy link', exact: true }).click();
    await until(async () => expect(await copied()).toBe(`${replayUrl}?from=576&to=832&player=2`));
    await page.getByRole('button', { name: 'Copy embed code' }).click();
    await until(async () => expect(await copied()).toContain(`src="${replayUrl}/embed"`));
  });

  it('says why it cannot play, and its page goes on', async () => {
    const { tracks } = await readTracks();
    for (let i = 0; i < 12; i++) {
      const damaged = Buffer.from(tracks);
      for (let n = 0; n < 3; n++) damaged[randomInt(damaged.length)] = randomInt(256);
      const { page } = await openPage(browser, `${baseUrl}/`, STILL);
      await page.route(/\/tracks/, (route) => route.fulfill({ body: damaged.subarray(0, randomInt(damaged.length)) }));
      await page.goto(replayUrl);
      const message = page.getByRole('alert').getByText(/^The replay cannot be shown\. ./);
      await message.waitFor();
      await page.getByRole('button', { name: /^Keys/ }).click({ trial: true });
      await page.context().close();
    }
  });

  it('says so when its ticks cannot be loaded, and no longer once they are', async () => {
    const { page } = await openPage(browser, `${baseUrl}/`, STILL);
    let requests = 0;
    // The first request is the head.
    await page.route(/\/tracks/, (route) => (++requests === 2 ? route.abort() : route.continue()));
    await page.goto(replayUrl);
    const message = page.getByRole('alert').getByText(/^The replay cannot be shown\. ./);
    await message.waitFor();
    await page.getByLabel('Time').fill('1');
    await message.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  async function readTracks() {
    const response = await fetch(`${replayUrl}/tracks`);
    return { tracks: new Uint8Array(await response.arrayBuffer()) };
  }

  it('has nothing that axe objects to, and fits: dark on a phone, light on a screen', async () => {
    const looks = [
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
      { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    ] as const;
    for (const look of looks) {
      for (const url of [replayUrl, `${replayUrl}/embed`]) {
        const { page } = await openPage(browser, url, { ...look, ...STILL, bypassCSP: true });
        await drawn(page);
        expect(await axeViolations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.viewport.width);
      }
    }
  });

  it('answers the player.js client of another site, which may choose the moment', async () => {
    const site = await serveSite();
    onTestFinished(() => void site.close());
    const src = `${replayUrl}/embed?from=576&to=832`;
    const { page } = await openPage(browser, `${site.origin}/?${new URLSearchParams({ src })}`);
    const ask = (getter: string) => page.evaluate((name) => new Promise((resolve) => player[name]?.(resolve)), getter);
    await page.waitForFunction(() => received.length > 0);
    expect([await ask('getPaused'), await ask('getDuration')]).toEqual([true, 4]);
    await page.evaluate(() => {
      for (const event of ['play', 'pause', 'ended', 'seeked']) player.on(event, () => received.push([event, null]));
      player.setCurrentTime?.(3);
      player.play?.();
    });
    await page.waitForFunction(() => received.some(([event]) => event === 'ended'));
    expect([await ask('getPaused'), await ask('getCurrentTime')]).toEqual([true, 4]);
    await page.evaluate(() => {
      const message = { context: 'player.js', method: 'setMoment', value: { from: 640, to: 704, player: 1 } };
      document.querySelector('iframe')?.contentWindow?.postMessage(JSON.stringify(message), '*');
    });
    await until(async () => expect([await ask('getDuration'), await ask('getCurrentTime')]).toEqual([1, 0]));
  });

  it('is no part of the page of a clip', async () => {
    const { page } = await openPage(browser, `${baseUrl}/clips/${stage.clipId}`);
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(loaded.filter((name) => /replay|player/.test(name))).toEqual([]);
  });
});
