import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inject, onTestFinished, vi } from 'vitest';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Of whatever is waited for: less than a test has, so that it is known what did not come. */
const PATIENCE_MS = 100_000;

/** Connects to the Chromium of all files. */
export const connectChromium = (): Promise<Browser> => chromium.connect(inject('chromium'));

export interface OpenPage {
  readonly page: Page;
  /** What went wrong: messages of the console, uncaught errors, requests to anybody but the service. */
  readonly complaints: string[];
}

/**
 * Opens a page that is closed when the test ends. It keeps what it has to complain of, and measures how far its layout
 * shifts.
 */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    // That an answer is a 404 or 410 is what some tests are about.
    if (!message.text().includes('the server responded with a status of')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  if (options.javaScriptEnabled !== false) {
    await page.addInitScript(() => {
      const shifts = { total: 0 };
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.total += (entry as unknown as { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
  }
  await page.goto(url);
  return { page, complaints };
}

/** Asks until it holds, as long as a busy machine may need. */
export function until(holds: () => Promise<void>): Promise<void> {
  return vi.waitFor(holds, { timeout: PATIENCE_MS });
}

/** How far the layout has shifted so far (web.dev, "Cumulative Layout Shift", without its allowances). */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { shifts: { total: number } }).shifts.total);
}

/** What axe-core finds against WCAG 2.2 A and AA and its own best practices. */
export async function axeViolations(page: Page): Promise<string[]> {
  // To load it costs as much as to run it, and what passed need not be described.
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** What a video is doing. */
export function videoState(page: Page) {
  return page.evaluate(() => {
    const video = document.querySelector('video');
    if (!video) throw new Error('there is no video');
    const { currentTime, paused, muted, loop, duration, poster, controls } = video;
    return {
      currentTime,
      paused,
      muted,
      loop,
      duration,
      poster,
      controls,
      fullscreen: document.fullscreenElement === video,
    };
  });
}
