import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { axeViolations, connectChromium, openPage, until } from './support/open-page.ts';

const stage = inject('stage');

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
