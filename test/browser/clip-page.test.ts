import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { axeViolations, connectChromium, layoutShift, openPage, until, videoState } from './support/open-page.ts';

const stage = inject('stage');

describe.skipIf(stage === null)('the clip page in a browser', () => {
  const { baseUrl = '', clipId = '' } = stage ?? {};
  const url = `${baseUrl}/clips/${clipId}`;
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  it('shows the poster under one button, and plays when it is pressed', async () => {
    const { page, complaints } = await openPage(browser, url);
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    expect(await videoState(page)).toMatchObject({ paused: true, currentTime: 0, controls: false });
    expect((await videoState(page)).poster).toContain(`${url}/thumbnail.jpg?v=`);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
    expect(await videoState(page)).toMatchObject({ paused: false, controls: true });
    expect(await page.getByRole('button', { name: 'Play' }).isHidden()).toBe(true);
    expect(complaints).toEqual([]);
    expect(await layoutShift(page)).toEqual({ total: 0, of: [] });
  });

  it('shows the storyboard where somebody seeks, until the video is there', async () => {
    const { page, complaints } = await openPage(browser, url);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.1);
    // The video never reaches the target of the seek, as on a broken connection.
    await page.evaluate(() => {
      const video = document.querySelector('video');
      video?.pause();
      Object.defineProperty(video, 'currentTime', { get: () => 3.2 });
    });
    const dispatch = (type: string) =>
      page.evaluate((name) => document.querySelector('video')?.dispatchEvent(new Event(name)), type);
    const board = page.locator('[data-board]');
    await dispatch('seeking');
    await board.waitFor();
    const { background, loaded } = await board.evaluate(async (element) => {
      const image = new Image();
      image.src = (element as HTMLElement).dataset.board ?? '';
      await image.decode();
      return { background: (element as HTMLElement).style.backgroundPosition, loaded: image.naturalWidth };
    });
    // Ten pictures in rows of six: the seventh is the first of the second row.
    expect([background, loaded]).toEqual(['0% 100%', 6 * 256]);
    await dispatch('seeked');
    await board.waitFor({ state: 'hidden' });

    // In full screen too, over the video's picture and not over its bar.
    await page.keyboard.press('f');
    await until(async () => expect(await videoState(page)).toMatchObject({ fullscreen: true }));
    await dispatch('seeking');
    await board.waitFor();
    const seen = await page.evaluate(() => {
      const rect = document.querySelector('[data-board]')?.getBoundingClientRect();
      const isOnTop = document.querySelector('[data-board]:popover-open') !== null;
      return {
        isOnTop,
        share: (rect?.width ?? 0) / innerWidth,
        left: rect?.left,
        middle: (rect?.top ?? 0) * 2 + (rect?.height ?? 0) - innerHeight,
      };
    });
    expect(seen).toMatchObject({ isOnTop: true });
    expect(seen.share).toBeGreaterThan(0.9);
    expect(Math.abs(seen.middle)).toBeLessThan(2);
    await dispatch('seeked');
    await board.waitFor({ state: 'hidden' });
    await page.keyboard.press('f');
    await until(async () => expect(await videoState(page)).toMatchObject({ fullscreen: false }));
    await dispatch('seeking');
    await board.waitFor();
    expect(await board.evaluate((element) => (element as HTMLElement).popover)).toBeNull();
    expect(complaints).toEqual([]);
  });

  it('says once that it is played, and its owner can read it', async () => {
    const { page } = await openPage(browser, url);
    const counted: string[] = [];
    page.on('request', (request) => request.url().endsWith('/views') && counted.push(request.method()));
    const { clips } = createTickreel({ baseUrl, apiKey: stage?.meteredKey });
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.1);
    for (const key of ['k', 'k', '0', 'k']) await page.keyboard.press(key);
    await until(async () => expect(counted).toEqual(['POST']));
    await until(async () => expect((await clips.views(clipId)).total).toBeGreaterThan(0));
    expect(await page.context().cookies()).toEqual([]);
  });

  it('obeys its keys', async () => {
    const { page } = await openPage(browser, url);
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    const state = () => videoState(page);
    const at = async (seconds: number) =>
      until(async () => expect((await state()).currentTime).toBeCloseTo(seconds, 1));

    await page.keyboard.press('6');
    await at(3);
    await page.keyboard.press('.');
    await at(3.1);
    await page.keyboard.press(',');
    await at(3);
    await page.keyboard.press('ArrowLeft');
    await at(0);
    await page.keyboard.press('ArrowRight');
    await at(5);
    await page.keyboard.press('j');
    await at(0);
    await page.keyboard.press('l');
    await at(5);
    await page.keyboard.press('0');
    await at(0);
    await page.keyboard.press('m');
    await until(async () => expect(await state()).toMatchObject({ muted: true }));
    // The video must not reach its end meanwhile.
    await page.locator('video').evaluate((video: HTMLVideoElement) => {
      video.loop = true;
    });
    await page.keyboard.press('k');
    await until(async () => expect(await state()).toMatchObject({ paused: false }));
    await page.locator('video').focus();
    await page.keyboard.press(' ');
    await until(async () => expect(await state()).toMatchObject({ paused: true }));
    await page.keyboard.press('f');
    await until(async () => expect(await state()).toMatchObject({ fullscreen: true }));
    await page.keyboard.press('f');
    await until(async () => expect(await state()).toMatchObject({ fullscreen: false }));

    const help = page.getByRole('dialog', { name: 'Keys' });
    await page.keyboard.press('?');
    expect(await help.isVisible()).toBe(true);
    await page.keyboard.press('k');
    expect(await state()).toMatchObject({ paused: true });
    await page.keyboard.press('?');
    expect(await help.isVisible()).toBe(false);
  });

  it('starts at the time of its address, with and without JavaScript', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await openPage(browser, `${url}?t=2.5`, { javaScriptEnabled });
      await until(async () => expect((await videoState(page)).currentTime).toBe(2.5));
    }
  });

  it('copies the link, the link at this time and the embed code, and says so', async () => {
    const { page } = await openPage(browser, url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const status = page.getByRole('status');

    await page.getByRole('button', { name: 'Copy link', exact: true }).click();
    await status.getByText('Copied the link', { exact: true }).waitFor();
    expect(await copied()).toBe(url);

    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0);
    await page.keyboard.press('5');
    await page.getByRole('button', { name: 'Copy link at 0:02' }).click();
    await status.getByText('Copied the link at 0:02').waitFor();
    expect(await copied()).toBe(`${url}?t=2.5`);

    await page.getByRole('button', { name: 'Copy embed code' }).click();
    await status.getByText('Copied the embed code').waitFor();
    const frame = await page.evaluate(
      (code) => {
        const holder = document.createElement('template');
        holder.innerHTML = code;
        return holder.content.querySelector('iframe')?.src;
      },
      await copied(),
    );
    expect(frame).toBe(`${url}/embed`);
  });

  it('leads to other clips of the match, and they back to it', async () => {
    const { otherId = '', deletedId = '' } = stage ?? {};
    const more = async (id: string) => (await fetch(`${baseUrl}/clips/${id}/more`)).text();
    await until(async () => expect(await more(clipId)).toContain(otherId));
    await until(async () => expect(await more(otherId)).toContain(clipId));
    const { page, complaints } = await openPage(browser, url);
    const others = page.getByRole('region', { name: 'More clips' });
    const linkTo = (id: string) => others.locator(`a[href="/clips/${id}"]`);
    const other = linkTo(otherId);
    await other.scrollIntoViewIfNeeded();
    expect(await other.textContent()).toMatch(/^2 kills by .+ on Mirage, round 1 0:0\d$/);
    const picture = () => other.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await until(async () => expect(await picture()).toBeGreaterThan(0));
    expect((await linkTo(clipId).count()) + (await linkTo(deletedId).count())).toBe(0);
    await other.click();
    await linkTo(clipId).click();
    await page.waitForURL(url);
    expect(complaints).toEqual([]);
  });

  it('works without JavaScript', async () => {
    const { page } = await openPage(browser, url, { javaScriptEnabled: false });
    expect(await videoState(page)).toMatchObject({ controls: true });
    expect(await page.getByRole('button', { name: 'Copy link', exact: true }).isHidden()).toBe(true);
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toBe(url);
    expect(await page.getByLabel('Embed code').inputValue()).toContain(`${url}/embed`);
    expect(await page.getByRole('link', { name: 'Download' }).isVisible()).toBe(true);
  });

  it('has nothing that axe objects to, and fits: dark on a phone, light on a screen', async () => {
    const looks = [
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
      { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
    ] as const;
    for (const look of looks) {
      const { page } = await openPage(browser, url, { ...look, bypassCSP: true, reducedMotion: 'reduce' });
      await page.getByRole('region', { name: 'More clips' }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('?');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.viewport.width);
    }
  });

  it('weighs less than 10 kB, of which one script less than 5 kB', async () => {
    const text = await (await fetch(url)).text();
    expect(gzipSync(text).byteLength).toBeLessThan(10_000);
    const scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)];
    expect(scripts).toHaveLength(1);
    expect(scripts[0]?.[1]?.length).toBeLessThan(5000);
  });
});
