import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { SHORT_CLIP } from '../support/short-demo.ts';
import { axeViolations, connectChromium, openPage } from './support/open-page.ts';

const stage = inject('stage');
/** A folder for screenshots for people; none are taken unless it is set. */
const { BRAND_SHOTS } = process.env;

describe.skipIf(stage === null)('the brand of an account in a browser', () => {
  const { baseUrl = 'http://none.test', adminToken = 'none', demoUrl = '' } = stage ?? {};
  const { call } = createTickreelOperator({ baseUrl, adminToken });
  let browser: Browser;

  beforeAll(async () => {
    browser = await connectChromium();
  });
  afterAll(() => browser?.close());

  it.each([
    ['Acme', '#1f4fbf'],
    ['', '#ffe100'],
  ])('%j in %s can be read on each page, in both themes', async (name, colour) => {
    const { account_id } = await call('createAccount', { body: { name: 'Branded' } });
    const { key } = await call('createKey', { params: { id: account_id }, body: { kind: 'metered' } });
    const brand = { name, colour, url: name ? 'https://acme.example/' : null };
    await call('changeAccount', { params: { id: account_id }, body: { brand } });
    const { clips, demos, jobs } = createTickreel({ baseUrl, apiKey: key });
    await demos.inspect(demoUrl, { replay: true });
    const request = { ...SHORT_CLIP, demo_url: demoUrl, round: 1 };
    const { id } = await clips.render(request);
    const { id: gone } = await clips.render({ ...request, fps: 6 });
    await clips.delete(gone);
    await jobs.replay((await clips.get(id)).job_id ?? '');
    const pages = {
      page: `/clips/${id}`,
      embed: `/clips/${id}/embed`,
      note: `/clips/${gone}`,
      replay: `/replays/${id}`,
    };
    for (const [kind, path] of Object.entries(pages)) {
      const { page, complaints } = await openPage(browser, baseUrl + path, { bypassCSP: true });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const shot = `${name || 'none'}-${kind}-${colorScheme}.png`;
        if (BRAND_SHOTS) await page.screenshot({ path: join(BRAND_SHOTS, shot) });
        expect(await axeViolations(page), shot).toEqual([]);
      }
      expect(complaints).toEqual([]);
    }
  });
});
