import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inject, onTestFinished, vi } from 'vitest';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The timeout of every wait: shorter than that of a test, so that the failure names what was missing. */
const PATIENCE_MS = 100_000;

/** Connects to the Chromium of all files. */
export const connectChromium = (): Promise<Browser> => chromium.connect(inject('chromium'));

export interface OpenPage {
  readonly page: Page;
  /** Faults of the page: console messages, uncaught errors, requests to anything but the service. */
  readonly complaints: string[];
}

/** Opens a page that is closed when the test ends. Collects its faults and its layout shift. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    // Some tests expect a 404 or 410.
    if (!message.text().includes('the server responded with a status of')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  if (options.javaScriptEnabled !== false) {
    await page.addInitScript(() => {
      const shifts = { total: 0, of: [] as string[] };
      Object.assign(window, { shifts });
      type Source = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };
      type Shift = { value: number; sources: Source[] };
      /** Whether it is a part of the bar that Chromium draws on a video: inside of the video, and without a node. */
      const isInBar = ({ node, previousRect, currentRect }: Source) => {
        const video = document.querySelector('video')?.getBoundingClientRect();
        return [previousRect, currentRect].every(
          (rect) =>
            node === null &&
            video &&
            rect.left >= video.left - 1 &&
            rect.right <= video.right + 1 &&
            rect.top >= video.top - 1 &&
            rect.bottom <= video.bottom + 1,
        );
      };
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries() as unknown as Shift[]) {
          if (sources.length > 0 && sources.every(isInBar)) continue;
          shifts.total += value;
          shifts.of.push(...sources.map(({ node }) => `${node?.nodeName} ${node?.textContent?.slice(0, 40)}`));
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
  }
  await page.goto(url);
  return { page, complaints };
}

/** Repeats a check until it passes, for as long as a busy machine may need. */
export function until(holds: () => Promise<void>): Promise<void> {
  return vi.waitFor(holds, { timeout: PATIENCE_MS });
}

/** Returns the sum of the page's layout shifts so far (web.dev, "Cumulative Layout Shift"), and what moved. */
export function layoutShift(page: Page): Promise<{ total: number; of: string[] }> {
  return page.evaluate(() => (window as unknown as { shifts: { total: number; of: string[] } }).shifts);
}

/** Returns the violations that axe-core finds against WCAG 2.2 A and AA and its own best practices. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Loading axe takes as long as running it. Passed rules need no description.
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** Returns the state of a video. */
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

const CLIENT = createRequire(import.meta.url).resolve('player.js');

/** The client of the player.js protocol in the page around a frame. */
export type PlayerJs = Record<string, (argument?: unknown) => unknown> & {
  on(event: string, listener: (value: unknown) => void): void;
  supports(kind: 'method' | 'event', names: string[]): boolean;
};

/** Serves another site: its page `/?src=…` embeds an address and controls it with the player.js client. */
export async function serveSite() {
  const client = await readFile(CLIENT, 'utf8');
  const server = createServer((request, response) => {
    const src = new URL(request.url ?? '/', 'http://site').searchParams.get('src') ?? '';
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>A site</title>
<iframe id="frame" src="${src.replaceAll('&', '&amp;')}" width="640" height="360" allow="autoplay; fullscreen"></iframe>
<script>${client}</script>
<script>const received = []; const player = new playerjs.Player('frame'); player.on('ready', (v) => received.push(['ready', v]));</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, close: () => server.close() };
}
