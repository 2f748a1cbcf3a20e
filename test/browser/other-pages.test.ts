import { join } from 'node:path';
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { PLAY_BUTTON } from '#domain/clip/render-order.ts';
import { SHORT_CLIP } from '../support/short-demo.ts';
import { axeViolations, connectChromium, openPage, until } from './support/open-page.ts';

const stage = inject('stage');
/** A folder for screenshots for people; none are taken unless it is set. */
const { BRAND_SHOTS } = process.env;
/** How much larger the play button is under the mouse. */
const HOVERED = 1.07;

describe.skipIf(stage === null)('pages without a clip of their own in a browser', () => {
  const { baseUrl = '', clipId = '', deletedId = '', adminToken = 'none', demoUrl = '' } = stage ?? {};
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  const NOTES = [
    ['This clip was deleted', `/clips/${deletedId}`, 410],
    ['This clip was deleted', `/clips/${deletedId}/embed`, 410],
    ['No such clip', `/clips/${clipId.replace(/.$/, 'x')}`, 404],
  ] as const;

  for (const [heading, path, status] of NOTES) {
    it(`${path.replace(/[0-9a-fx]{8}-.{27}/, ':id')} says "${heading}" and shows no player`, async () => {
      expect((await fetch(baseUrl + path)).status).toBe(status);
      const options = { colorScheme: 'light', bypassCSP: true, reducedMotion: 'reduce' } as const;
      const { page, complaints } = await openPage(browser, baseUrl + path, options);
      await page.getByRole('heading', { name: heading }).waitFor();
      expect(await page.locator('video').count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  }

  it.each([
    ['Acme', '#1f4fbf'],
    ['', '#ffe100'],
  ])('%j in %s, the brand of an account, can be read on each page in both themes', async (name, colour) => {
    const { call } = createTickreelOperator({ baseUrl, adminToken });
    const { account_id } = await call('createAccount', { body: { name: 'Branded' } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    const brand = { name, colour, url: 'https://acme.example/' };
    await call('changeAccount', { params: { id: account_id }, body: { brand } });
    const { clips, demos } = createTickreel({ baseUrl, apiKey: key });
    const { replay_url } = await demos.inspect(demoUrl, { replay: true });
    const request = { ...SHORT_CLIP, demo_url: demoUrl, round: 1 };
    const { id } = await clips.render(request);
    const { id: gone } = await clips.render({ ...request, fps: 6 });
    await clips.delete(gone);
    const page = `${baseUrl}/clips/${id}`;
    const pages = { page, embed: `${page}/embed`, note: `${baseUrl}/clips/${gone}`, replay: replay_url ?? '' };
    for (const [kind, url] of Object.entries(pages)) {
      const { page, complaints } = await openPage(browser, url, { bypassCSP: true, reducedMotion: 'reduce' });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const shot = `${name || 'none'}-${kind}-${colorScheme}.png`;
        if (BRAND_SHOTS) await page.screenshot({ path: join(BRAND_SHOTS, shot) });
        expect(await axeViolations(page), shot).toEqual([]);
      }
      expect(complaints).toEqual([]);
    }
  });

  it.each([
    {
      path: '/',
      sizes: [
        { width: 360, height: 800 },
        { width: 1600, height: 900 },
      ],
    },
    {
      path: `/clips/${clipId}`,
      sizes: [
        { width: 390, height: 844 },
        { width: 1920, height: 1080 },
      ],
    },
    {
      path: `/clips/${clipId}/embed`,
      sizes: [
        { width: 240, height: 135 },
        { width: 400, height: 700 },
        { width: 1000, height: 220 },
        { width: 1280, height: 720 },
      ],
    },
  ])('$path has a play button in the middle that is off the title of the thumbnail', async ({ path, sizes }) => {
    const { page } = await openPage(browser, baseUrl + path);
    for (const size of sizes) {
      await page.setViewportSize(size);
      const [video, button] = await Promise.all(
        ['video', '.cover svg'].map((part) => page.locator(part).first().boundingBox()),
      );
      if (!video || !button) return expect.unreachable();
      // The picture fills the video's box in one direction.
      const wide = Math.min(video.width, (video.height * 16) / 9);
      expect(button.width * HOVERED).toBeLessThanOrEqual(PLAY_BUTTON * wide);
      expect(button.width).toBeGreaterThan(Math.min(80, wide * 0.11));
      const middle = [video.x + video.width / 2, video.y + video.height / 2];
      expect([button.x + button.width / 2, button.y + button.height / 2]).toEqual(
        middle.map((at) => expect.closeTo(at, 0)),
      );
    }
  });

  it('a page of another site may call the API with a key, and nothing that goes by a cookie', async () => {
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost');
    const { page } = await openPage(browser, `${elsewhere}/docs`, { bypassCSP: true });
    const call = (path: string, method = 'GET') =>
      page.evaluate(
        ([url, key, way]) =>
          fetch(url ?? '', { method: way ?? '', headers: { Authorization: `Bearer ${key}` } }).then(
            (answer) => `${answer.status} ${answer.headers.get('X-Request-Id')?.length}`,
            () => 'refused by the browser',
          ),
        [baseUrl + path, stage?.meteredKey, method],
      );
    expect(await call('/api/jobs?limit=1')).toBe('200 36');
    expect(await call(`/api/clips/${crypto.randomUUID()}`, 'DELETE')).toBe('404 36');
    for (const path of ['/admin/accounts', '/console/session']) {
      expect(await call(path)).toBe('refused by the browser');
    }
  });
});

describe.skipIf(stage === null)('the docs in a browser', () => {
  const { baseUrl = '', meteredKey = '' } = stage ?? {};
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  it.each(['/docs', '/docs/problems', '/docs/errors/no_kills_found'])('%s has no faults', async (path) => {
    const { page, complaints } = await openPage(browser, baseUrl + path, { bypassCSP: true });
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('the reference asks the service alone, without a cookie, and tries a call', async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await context.addCookies([{ name: 'session', value: 'secret', url: baseUrl }]);
    const page = await context.newPage();
    const asked: Request[] = [];
    page.on('request', (request) => void (request.url().startsWith('data:') || asked.push(request)));
    const faults: string[] = [];
    page.on('console', (message) => void (message.text().startsWith('fault') && faults.push(message.text())));
    page.on('pageerror', (error) => void faults.push(String(error)));
    await page.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        // biome-ignore lint/suspicious/noConsole: the test reads it
        console.info('fault', effectiveDirective, blockedURI),
      ),
    );
    await page.goto(`${baseUrl}/docs/reference`);
    await page.getByPlaceholder('Token').locator('visible=true').fill(meteredKey, { timeout: 100_000 });
    await page.evaluate(() => {
      location.hash = 'clients/tag/usage/GET/api/usage';
    });
    await page.getByRole('button', { name: 'Test Request (get /api/usage)' }).click();
    await page.getByRole('button', { name: /^Send get request/i }).click();
    await until(async () => {
      const tried = asked.find((one) => one.url().endsWith('/api/usage'));
      expect((await tried?.response())?.status()).toBe(200);
    });
    const [document, ...others] = await Promise.all(asked.map(async (one) => (await one.allHeaders()).cookie));
    expect([document, new Set(others)]).toEqual(['session=secret', new Set([undefined])]);
    expect(new Set(asked.map((one) => new URL(one.url()).origin))).toEqual(new Set([baseUrl]));
    expect(faults).toEqual([]);
  });

  it('the reference links the documents without scripts', async () => {
    const { page } = await openPage(browser, `${baseUrl}/docs/reference`, { javaScriptEnabled: false });
    expect(await page.getByRole('link', { name: '/openapi.json' }).getAttribute('href')).toBe('/openapi.json');
  });
});
