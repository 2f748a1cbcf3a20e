import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import {
  axeViolations,
  connectChromium,
  openPage,
  type PlayerJs,
  serveSite,
  until,
  videoState,
} from './support/open-page.ts';

const stage = inject('stage');

declare const player: PlayerJs;
declare const received: [string, unknown][];

describe.skipIf(stage === null)('the embed in a browser', () => {
  const { baseUrl = '', clipId = '' } = stage ?? {};
  const url = `${baseUrl}/clips/${clipId}/embed`;
  let browser: Browser;
  let site: { origin: string; close(): void };

  beforeAll(async () => {
    browser = await connectChromium();
    site = await serveSite();
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  async function framed(src: string): Promise<Page> {
    const { page } = await openPage(browser, `${site.origin}/?${new URLSearchParams({ src })}`);
    return page;
  }

  const ask = (page: Page, getter: string) =>
    page.evaluate((name) => new Promise((resolve) => player[name]?.(resolve)), getter);

  it('answers the player.js client of the page around it', async () => {
    const page = await framed(`${url}?muted`);
    await page.waitForFunction(() => received.length > 0);
    expect(
      await page.evaluate(() => player.supports('method', ['play', 'pause', 'setCurrentTime', 'getVolume', 'setLoop'])),
    ).toBe(true);
    expect(await ask(page, 'getPaused')).toBe(true);
    expect(await ask(page, 'getMuted')).toBe(true);
    expect(await ask(page, 'getDuration')).toBeCloseTo(5, 1);

    await page.evaluate(() => {
      for (const event of ['play', 'pause', 'timeupdate', 'ended', 'seeked']) {
        player.on(event, (value) => received.push([event, value]));
      }
      player.setVolume?.(40);
      player.setLoop?.(true);
      player.setCurrentTime?.(2);
    });
    await page.waitForFunction(() => received.some(([event]) => event === 'seeked'));
    expect(await ask(page, 'getCurrentTime')).toBe(2);
    expect(await ask(page, 'getVolume')).toBeCloseTo(40);
    expect(await ask(page, 'getLoop')).toBe(true);

    await page.evaluate(() => player.play?.());
    await page.waitForFunction(() =>
      received.some(([event, value]) => event === 'timeupdate' && (value as { seconds: number }).seconds > 2.2),
    );
    await page.evaluate(() => player.pause?.());
    await page.waitForFunction(() => received.some(([event]) => event === 'pause'));
    expect(await ask(page, 'getPaused')).toBe(true);
    expect(await page.evaluate(() => received.map(([event]) => event))).toContain('play');

    await page.evaluate(() => {
      player.setLoop?.(false);
      player.unmute?.();
      player.mute?.();
      player.setCurrentTime?.(4.8);
      player.play?.();
    });
    await page.waitForFunction(() => received.some(([event]) => event === 'ended'));
  });

  it('tells nothing to a page that did not ask, but that it is ready', async () => {
    const page = await framed(`${url}?autoplay`);
    const frame = page.frames()[1];
    await until(async () => {
      expect(await frame?.evaluate(() => document.querySelector('video')?.currentTime ?? 0)).toBeGreaterThan(0.5);
    });
    expect(await page.evaluate(() => [...new Set(received.map(([event]) => event))])).toEqual(['ready']);
  });

  it('begins as its address says', async () => {
    const { page, complaints } = await openPage(browser, `${url}?autoplay&loop=1&t=1&end=2&unknown=3`);
    await until(async () => expect(await videoState(page)).toMatchObject({ paused: false, muted: true, loop: true }));
    // The video loops from the first second to the second one.
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const video = document.querySelector('video');
          video?.addEventListener('timeupdate', () => video.currentTime > 1.7 && resolve());
        }),
    );
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 9) < 1.5);
    expect(await videoState(page)).toMatchObject({ paused: false });
    expect(complaints).toEqual([]);
  });

  it('stops at the end that its address names', async () => {
    const { page } = await openPage(browser, `${url}?autoplay&start=1s&end=1.5`);
    // On a busy machine the pause comes late: the video continues for a while, but not far.
    await page.locator('video').evaluate((video: HTMLVideoElement) => {
      video.playbackRate = 0.25;
    });
    await page.waitForFunction(
      () => document.querySelector('video')?.paused && (document.querySelector('video')?.currentTime ?? 0) > 1,
    );
    // The clip itself ends at second 5.
    expect((await videoState(page)).currentTime).toBeLessThan(4.5);
  });

  it('shows no controls, no title and no poster where they are switched off', async () => {
    const { page } = await openPage(browser, `${url}?controls=0&poster=false&muted`);
    expect(await videoState(page)).toMatchObject({ controls: false, poster: '' });
    expect(await page.getByRole('link').count()).toBe(0);
    await page.locator('video').click();
    await until(async () => expect(await videoState(page)).toMatchObject({ paused: false }));
  });

  it('may be framed by another site; the clip page may not', async () => {
    const page = await framed(`${baseUrl}/clips/${clipId}`);
    expect(await page.frames()[1]?.evaluate(() => document.querySelector('video') === null)).toBe(true);
  });

  it('is shown only by the sites that its account names, whatever headers they leave out', async () => {
    const client = createTickreel({ baseUrl, apiKey: stage?.meteredKey ?? '' });
    const { jobs } = await client.jobs.list({ status: 'done', mode: 'round' }).page();
    const { demo_url, steam64_id } = (await client.jobs.get(jobs[0]?.id ?? '')).payload;
    await client.viewing.change({ embed_sites: [new URL(site.origin).host] });
    const { id } = await client.clips.render({ demo_url, steam64_id: steam64_id ?? '', round: 1 });
    await client.viewing.change({ embed_sites: null });
    const another = await serveSite();
    const { page } = await openPage(browser, site.origin);
    const plays = async (origin: string, clip: string, referrer: string, crossOrigin: string | null) => {
      await page.goto(origin);
      return page.evaluate(
        ([src = '', policy = '', cors]) =>
          new Promise<boolean>((resolve) => {
            document.head.insertAdjacentHTML('beforeend', `<meta name="referrer" content="${policy}">`);
            const video = document.createElement('video');
            if (cors) video.crossOrigin = cors;
            video.onloadedmetadata = () => resolve(true);
            video.onerror = () => resolve(false);
            video.src = src;
          }),
        [`${baseUrl}/clips/${clip}/video.mp4`, referrer, crossOrigin] as const,
      );
    };
    const seen = async (origin: string, clip: string) => [
      await plays(origin, clip, 'no-referrer', 'anonymous'),
      await plays(origin, clip, 'origin', 'anonymous'),
      await plays(origin, clip, 'origin', null),
      await plays(origin, clip, 'no-referrer', null),
    ];
    // A page without `Origin` and `Referer` cannot be distinguished from any other.
    expect(await seen(site.origin, id)).toEqual([true, true, true, false]);
    expect(await seen(another.origin, id)).toEqual([false, false, false, false]);
    expect(await seen(another.origin, clipId)).toEqual([true, true, true, true]);
    another.close();
  });

  it('has nothing that axe objects to', async () => {
    const { page } = await openPage(browser, url, { bypassCSP: true });
    expect(await axeViolations(page)).toEqual([]);
  });
});
