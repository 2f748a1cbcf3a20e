import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../browser/support/browser.ts';
import { startStage } from '../browser/support/stage.ts';

/**
 * Measures a viewer on a slow, distant connection by Chromium's own throttling: the bytes before play, the time from a
 * click to the first frame, the storyboard during a seek, and what remains visible of a clip that is deleted meanwhile.
 */
const program = new Command('npm run soak:slow-line --')
  .option('--rounds <number>', 'pages that are opened', Number, 5)
  .option('--kbit <number>', 'of the line, a second', Number, 1600)
  .option('--latency <number>', 'milliseconds until an answer begins', Number, 300)
  .option('--fps <number>', 'of the clip', Number, 60)
  .parse();
const { rounds, kbit, latency, fps } = program.opts<Record<'rounds' | 'kbit' | 'latency' | 'fps', number>>();

/** Chromium loads a second or more of the video for its metadata, at any speed of the connection. */
const GOAL = { bytesBeforePlay: 450_000, firstFrameMs: 3000 };
const QUIET_MS = 2500;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

interface Loaded {
  bytes: number;
  lastAt: number;
}

/** Opens a page on the slow connection, with empty caches. */
async function openSlowly(browser: Browser, url: string): Promise<{ page: Page; session: CDPSession; loaded: Loaded }> {
  const page = await (await browser.newContext()).newPage();
  const session = await page.context().newCDPSession(page);
  const loaded = { bytes: 0, lastAt: performance.now() };
  session.on('Network.dataReceived', ({ dataLength, encodedDataLength }) => {
    loaded.bytes += encodedDataLength || dataLength;
    loaded.lastAt = performance.now();
  });
  await session.send('Network.enable');
  const throughput = (kbit * 1000) / 8;
  const line = { offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput };
  await session.send('Network.emulateNetworkConditions', line);
  await page.addInitScript(() => {
    const seen = { posterAt: 0, clickAt: 0, frameAt: 0, boardAt: 0, seekAt: 0, seekedAt: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.posterAt = startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  });
  await page.goto(url, { waitUntil: 'commit' });
  return { page, session, loaded };
}

async function untilQuiet(loaded: Loaded): Promise<void> {
  while (performance.now() - loaded.lastAt < QUIET_MS) await delay(100);
}

/** Returns the milliseconds from the click to the first frame. */
async function play(page: Page): Promise<number> {
  await page.evaluate(() => {
    const { seen } = window as unknown as { seen: Record<string, number> };
    const video = document.querySelector('video');
    addEventListener('pointerdown', () => (seen.clickAt ||= performance.now()), true);
    video?.addEventListener('play', () => video.requestVideoFrameCallback((at) => (seen.frameAt ||= at)));
  });
  await page.locator('[data-cover]').click();
  await page.waitForFunction(() => (window as unknown as { seen: { frameAt: number } }).seen.frameAt > 0);
  return page.evaluate(() => {
    const { clickAt, frameAt } = (window as unknown as { seen: Record<'clickAt' | 'frameAt', number> }).seen;
    return frameAt - clickAt;
  });
}

/**
 * Returns the milliseconds until the storyboard shows the position (0 if the video was faster), and until the video
 * does.
 */
async function seek(page: Page, share: number): Promise<{ board: number; video: number }> {
  return page.evaluate(async (to) => {
    const video = document.querySelector('video') as HTMLVideoElement;
    const board = document.querySelector<HTMLElement>('[data-board]');
    video.pause();
    const begun = performance.now();
    let boardAt = 0;
    const image = new Image();
    const watch = setInterval(() => {
      // Whether its picture is loaded, too.
      if (!image.src && board) image.src = board.dataset.board ?? '';
      if (board && !board.hidden && image.complete && image.naturalWidth > 0) boardAt ||= performance.now() - begun;
    }, 16);
    video.currentTime = video.duration * to;
    await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    clearInterval(watch);
    return { board: boardAt, video: performance.now() - begun };
  }, share);
}

const { stage, stop } = await startStage({ fps, padding: 5 });
const browser = await launchChromium();
const url = `${stage.baseUrl}/clips/${stage.clipId}`;
let failures = 0;
try {
  const size = async (file: string) =>
    Number((await fetch(url + file, { method: 'HEAD' })).headers.get('Content-Length'));
  const [video, poster, board] = await Promise.all(['/video.mp4', '/thumbnail.jpg', '/storyboard.jpg'].map(size));
  say(`${new Date().toISOString().slice(0, 10)}; ${kbit} kbit/s, ${latency} ms; ${browser.version()}`);
  say(`the clip at ${fps} fps: video ${video} bytes, poster ${poster}, storyboard ${board}`);
  const posterAt: number[] = [];
  const before: number[] = [];
  const frames: number[] = [];
  const hasty: number[] = [];
  const seeks: { board: number; video: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const { page, loaded } = await openSlowly(browser, url);
    await page.waitForLoadState('load');
    await untilQuiet(loaded);
    before.push(loaded.bytes);
    posterAt.push(await page.evaluate(() => (window as unknown as { seen: { posterAt: number } }).seen.posterAt));
    frames.push(await play(page));
    seeks.push(await seek(page, 0.8));
    await page.context().close();
    const impatient = await openSlowly(browser, url);
    await impatient.page.locator('[data-cover]').waitFor();
    hasty.push(await play(impatient.page));
    await impatient.page.context().close();
  }
  const check = (what: string, found: number, goal: number, unit: string) => {
    if (!(found <= goal)) failures++;
    say(`  ${what.padEnd(52)} ${found.toFixed(0).padStart(8)} ${unit} (goal ${goal})`);
  };
  const tell = (what: string, found: number) => say(`  ${what.padEnd(52)} ${found.toFixed(0).padStart(8)} ms`);
  say(`median of ${rounds}:`);
  tell('the poster is there after', median(posterAt));
  check('loaded before play', Math.max(...before), GOAL.bytesBeforePlay, 'bytes');
  check('from the click to the first frame, page loaded', median(frames), GOAL.firstFrameMs, 'ms');
  check('the same, clicked as soon as the button is there', median(hasty), GOAL.firstFrameMs, 'ms');
  tell('seek: the storyboard shows the place after', median(seeks.map((one) => one.board)));
  tell('seek: the video does after', median(seeks.map((one) => one.video)));

  const { page } = await openSlowly(browser, url);
  await play(page);
  const headers = { Authorization: `Bearer ${stage.meteredKey}` };
  await fetch(`${stage.baseUrl}/api/clips/${stage.clipId}`, { method: 'DELETE', headers });
  await page.reload();
  await page.getByRole('heading', { name: 'This clip was deleted' }).waitFor();
  const left = await Promise.all(
    ['', '/video.mp4', '/storyboard.jpg'].map(async (file) => (await fetch(url + file)).status),
  );
  if (left.some((status) => status !== 410)) failures++;
  say(`  deleted while it plays: a reload says so; page, video and storyboard answer ${left.join(', ')}`);
} finally {
  await browser.close();
  await stop();
}
process.exitCode = failures > 0 ? 1 : 0;
