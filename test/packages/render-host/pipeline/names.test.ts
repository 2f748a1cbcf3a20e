import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodeDemo } from '#demo-writer/index.ts';
import { clipTitle } from '#domain/clip/clip-title.ts';
import type { PlayerNames } from '#domain/clip/names.ts';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { createRenderClip } from '#render-host/pipeline/render-clip.ts';
import { createScene } from '#scene/scene.ts';
import { ODD_MATCH, oddNamesIn } from '#test/support/odd-names.ts';
import { NO_CARDS, PLAIN_KILLS } from '#test/support/plain-order.ts';
import { serve } from '../download/serve.ts';

const DEMO = Buffer.from(encodeDemo(ODD_MATCH));
const FRAMES = 1000;
const { steamId = '' } = ODD_MATCH.players[0] ?? {};

/** Renders a clip of a player, of which some frames are drawn. Returns all drawn texts, the facts and the title. */
async function drawn(names: PlayerNames | undefined, more: Partial<RenderOrder> = {}) {
  const context: SKRSContext2D = Object.getPrototypeOf(createCanvas(1, 1).getContext('2d'));
  const texts = new Set<string>();
  for (const method of ['fillText', 'strokeText'] as const) {
    const original = context[method];
    const spy = vi.spyOn(context, method).mockImplementation(function (this: SKRSContext2D, text, ...place) {
      texts.add(text);
      original.call(this, text, ...place);
    });
    onTestFinished(() => spy.mockRestore());
  }
  let frames = 0;
  // Small pictures, drawn in this thread. The encoder gets grey ones.
  const capture: Capture = async ({ match, shots, options }) => {
    const small = { ...options, width: 640, height: 360, fps: 30 };
    useHostCanvas();
    const scene = createScene(match, shots, small);
    const ctx = createCanvas(small.width, small.height).getContext('2d');
    for (; frames < Math.min(FRAMES, scene.frameCount); frames++) scene.paint(ctx, frames, 'full');
    for (const content of ['plain', 'live', 'bare', 'cover'] as const) scene.paint(ctx, 100, content);
    const frame = new Uint8Array(options.width * options.height * 4).fill(128);
    const source = {
      frameCount: 5,
      frame: async () => frame,
      async *frames() {
        for (let i = 0; i < 5; i++) yield frame;
      },
    };
    return { ok: true, source, sound: null };
  };
  const log = { info: () => {}, warn: () => {} };
  const render = await createRenderClip({ environment: process.env, log, capture });
  const workDir = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
  const order: RenderOrder = {
    demoUrl: await serve((_request, response) => response.end(DEMO)),
    selection: { ...PLAIN_KILLS, steam64Id: steamId, round: null, preKillPadding: 5, postKillPadding: 5, mergeGap: 10 },
    fps: 5,
    resolution: 1080,
    xray: true,
    onlyDeathnotices: false,
    ownKillfeed: false,
    damageTicker: true,
    thumbnailStyle: 'full',
    watermarkImageId: null,
    ...NO_CARDS,
    titleCard: true,
    cardSeconds: 1,
    names,
    ...more,
  };
  const policy = { acceptedDomains: ['*'], allowPrivateAddresses: true, signal: new AbortController().signal };
  const result = await render({ ...policy, workDir, order, onProgress: () => {}, wantsStoryboard: true });
  if (!result.ok) throw new Error(result.detail);
  return { frames, facts: result.facts, texts: [...texts, clipTitle(result.facts)] };
}

test('a clip of 1,000 frames draws and names none of ten odd names', { tags: ['long'] }, async () => {
  const shown = await drawn(undefined);
  expect(oddNamesIn(shown.texts.join('\n'))).toHaveLength(10);
  expect(shown.facts).not.toHaveProperty('names');
  vi.restoreAllMocks();

  const hidden = await drawn({});
  expect(hidden.frames).toBe(FRAMES);
  expect(oddNamesIn(hidden.texts.join('\n'))).toEqual([]);
  expect(hidden.texts.join()).not.toContain('7656119');
  const numbered = ODD_MATCH.players.map((_, i) => `Player ${i + 1}`);
  expect(hidden.texts).toEqual(expect.arrayContaining(numbered));
  expect(hidden.facts).toMatchObject({ players: ['Player 1'], names: 'hidden' });
  vi.restoreAllMocks();

  const named = await drawn({ [steamId]: 'Ferris' }, { ownKillfeed: true, onlyDeathnotices: true, xray: false });
  expect(oddNamesIn(named.texts.join('\n'))).toEqual([]);
  expect(named.facts).toMatchObject({ players: ['Ferris'], names: 'hidden' });
  expect(named.texts).toEqual(expect.arrayContaining(['Ferris', 'Player 6']));
});
