import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCanvas } from '@napi-rs/canvas';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { ssim } from 'ssim.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { Match } from '#render-host/match/match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { haveRealDemos, realDemo } from '../packages/render-host/match/real-demos.ts';
import { createNotedScene, type Drawn, type SceneInput, writeInput } from './support/noted-scene.ts';
import { connectChromium, openPage } from './support/open-page.ts';
import type { OpenScene } from './support/scene-script.ts';

const [WIDTH, HEIGHT] = [960, 540];
/** Of each match, so that there are 200 in all. */
const FRAMES = haveRealDemos ? 100 : 200;
/** Comparing a frame takes a tenth of a second of a processor, for which a busy machine needs many. */
const TIMEOUT_MS = 600_000;
const options: CaptureOptions = {
  fps: 30,
  width: WIDTH,
  height: HEIGHT,
  xray: true,
  onlyDeathnotices: false,
  ownKillfeed: false,
  damageTicker: true,
};

declare const openScene: OpenScene;

describe.skipIf(inject('stage') === null)('the scene in Chromium and on a host', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tickreel-scene-'));
    [browser, site] = await Promise.all([connectChromium(), serveSite()]);
    useHostCanvas();
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const CASES = [
    ['a played match', true, () => writtenMatch(folder)],
    ['a recorded match', haveRealDemos, () => readDemo(realDemo('14090.dem'), folder)],
  ] as const;

  it.each(CASES)(
    'look the same, with texts in the same places: %s',
    async (_, isThere, read) => {
      if (!isThere) return;
      const match = await read();
      const input: SceneInput = { match, shots: momentsOf(match), options };
      const { page, complaints } = await openPage(browser, site.origin);
      const drawn = await page.evaluateHandle((text) => openScene(text), writeInput(input));
      const scene = createNotedScene(input, createCanvas(WIDTH, HEIGHT).getContext('2d', { alpha: false }));
      let texts = 0;
      try {
        for (let n = 0; n < FRAMES; n++) {
          const frame = Math.floor(((n + 0.5) * scene.frameCount) / FRAMES);
          const inBrowser = await drawn.evaluate((draw, at) => draw(at, 'full'), frame);
          const onHost = scene.frame(frame, 'full');
          const pixels = new Uint8ClampedArray(Buffer.from(inBrowser.pixels, 'base64'));
          // The default algorithm takes four times as long, and differs by less than a thousandth.
          const { mssim } = ssim(imageOf(onHost.pixels), imageOf(pixels), { ssim: 'bezkrovny' });
          expect(mssim, `frame ${frame}`).toBeGreaterThanOrEqual(0.98);
          expect(apart(onHost.drawn, inBrowser.drawn), `frame ${frame}`).toEqual([]);
          texts += onHost.drawn.filter(([text]) => text !== '').length;
        }
      } finally {
        scene.restore();
      }
      // Each text is drawn once, into a picture that frames draw again.
      expect(texts).toBeGreaterThan(50);
      // Only this test reads pictures back.
      expect(complaints.filter((text) => !text.includes('willReadFrequently'))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

const imageOf = (data: Uint8ClampedArray) => ({ data, width: WIDTH, height: HEIGHT }) as ImageData;

/** Returns what is more than a pixel apart, or not the same text. */
function apart(onHost: readonly Drawn[], inBrowser: readonly Drawn[]): string[] {
  const count = Math.max(onHost.length, inBrowser.length);
  return Array.from({ length: count }, (_, i) => [onHost[i], inBrowser[i]] as const).flatMap(([one, other]) => {
    const isSame = one?.every((value, at) =>
      typeof value === 'string' ? value === other?.[at] : Math.abs(value - Number(other?.[at])) <= 1,
    );
    return isSame === true ? [] : [`${one} is ${other}`];
  });
}

async function writtenMatch(folder: string): Promise<Match> {
  const path = join(folder, 'match.dem');
  await writeDemoFile(createSampleMatch({ seed: 7, rounds: 2 }), path);
  return readDemo(path, folder);
}

async function readDemo(demoPath: string, workDir: string): Promise<Match> {
  const read = await parseDemo({ demoPath, workDir, signal: new AbortController().signal });
  if (!read.ok) throw new Error(read.detail);
  return read.match;
}

/** Returns shots of a killer around the first kill, and around the last, which the end of a round follows. */
function momentsOf(match: Match) {
  const seconds = (count: number): number => count * match.tickRate;
  const [first, last] = [match.kills[0], match.kills.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nobody is killed');
  return [first, last].map(({ tick, attacker }) =>
    liveShot(match, { startTick: tick - seconds(3), endTick: tick + seconds(4) }, attacker ?? 0),
  );
}

/** Serves a page with the scene's script, and the shipped faces. */
async function serveSite() {
  const script = await build({
    entryPoints: [fileURLToPath(new URL('support/scene-script.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  const server = createServer(async ({ url = '/' }, response) => {
    if (url.startsWith('/static/')) response.end(await readFile(new URL(`../../src${url}`, import.meta.url)));
    else if (url === '/scene.js') response.end(script.outputFiles[0]?.contents);
    else response.setHeader('Content-Type', 'text/html').end('<!doctype html><script src="/scene.js"></script>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
