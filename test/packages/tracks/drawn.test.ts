import { deflateSync, inflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';
import { openTracks, writeTracks } from '#tracks/file.ts';
import { createChunkCache, windowAt } from '#web/replay/chunk-cache.ts';
import { viewerOf } from '#web/replay/shown-player.ts';
import { createTimeline, shotsIn, WHOLE } from '#web/replay/timeline.ts';
import { buildKill, buildMatch } from '../render-host/builders.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const PREAMBLE = 13;
const match = buildMatch({
  ticks: 640,
  kills: [buildKill({ tick: 200 })],
  hurts: [
    { tick: 190, attacker: 0, victim: 5, damage: 30, armorDamage: 0, healthLeft: 70, weapon: 'ak47', hitgroup: 1 },
  ],
  weaponFires: [{ tick: 180, player: 0, weapon: 'ak47' }],
  blindings: [{ tick: 150, player: 5, by: 0, seconds: 2 }],
  sights: [{ player: 5, by: 0, startTick: 100, endTick: 300 }],
  effects: [
    {
      kind: 'fire',
      startTick: 80,
      endTick: 400,
      x: 0,
      y: 0,
      z: 0,
      flames: [{ startTick: 80, endTick: 400, x: 1, y: 1 }],
    },
  ],
  flights: [
    {
      kind: 'smokegrenade',
      player: 0,
      path: [
        { tick: 10, x: 0, y: 0, z: 0 },
        { tick: 90, x: 9, y: 9, z: 0 },
      ],
    },
  ],
});
const whole = await writeTracks(match, [1_000_000, 1_000_001]);

/** Opens a file and draws it as a page does: its first window, and the one around a part of it. */
async function draw(bytes: Bytes, part: number): Promise<void> {
  const file = await openTracks(async (start, length) => bytes.slice(start, start + length));
  const { firstTick, lastTick, tickRate, players } = file;
  const shots = shotsIn([{ startTick: firstTick, endTick: lastTick + 1, pov: 0, speeds: [] }], WHOLE, players.length);
  const timeline = createTimeline(shots, tickRate);
  const load = createChunkCache(file);
  const canvas = createCanvas(320, 180).getContext('2d');
  const options = { width: 320, height: 180, fps: tickRate, xray: true, ownKillfeed: false, damageTicker: false };
  for (const second of [0, timeline.seconds * part]) {
    const { shot, tick } = timeline.at(second);
    const { shown, needed } = windowAt(shots[shot] ?? { startTick: 0, endTick: 1 }, tick, tickRate);
    const found = await load(needed);
    const live = liveShot(found, needed, viewerOf(found, 0, shown));
    const scene = createScene(found, [live], { ...options, onlyDeathnotices: false });
    for (const at of [0, 0.5, 1]) scene.paint(canvas, Math.floor((scene.frameCount - 1) * at), 'live');
  }
}

/** The values that a number or a text of the file becomes. */
const HOSTILE = [-1, 0.5, 1e6, 1e9, -1e9, 1e308, null, 'x'.repeat(50_000), '1', [], {}, true];

/** Returns JSON with one of its values, counted in the order of writing, replaced. */
function replaced(json: string, at: number, by: unknown): string {
  const count = json.match(/":(?=[^[{])|(?<=[[,])-?\d/g)?.length ?? 1;
  let left = at % count;
  return JSON.stringify(JSON.parse(json), function (this: unknown, _, value: unknown) {
    return typeof value !== 'object' && left-- === 0 ? by : value;
  });
}

/** Packs a block again with other JSON. */
function repacked(block: Bytes, change: (json: string) => string): Buffer {
  const raw = inflateSync(block);
  const end = 4 + raw.readUInt32BE();
  const json = Buffer.from(change(raw.toString('utf8', 4, end)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return deflateSync(Buffer.concat([length, json, raw.subarray(end)]));
}

/** Returns the file with a hostile value in its head or its first chunk, and right lengths and checksums. */
async function hostile(at: number, by: unknown, isHead: boolean): Promise<Bytes> {
  const { headBytes, chunks } = await openTracks(async (start, length) => whole.slice(start, start + length));
  const [first] = chunks;
  const end = headBytes + (first?.bytes ?? 0);
  const change = (json: string) => replaced(json, at, by);
  const chunk = isHead ? whole.slice(headBytes, end) : repacked(whole.slice(headBytes, end), change);
  const rawBytes = inflateSync(chunk).length;
  const head = repacked(whole.slice(PREAMBLE, headBytes), (json) => {
    if (isHead) return change(json);
    const value = JSON.parse(json);
    value.chunks[0] = { ...value.chunks[0], bytes: chunk.length, rawBytes };
    return JSON.stringify(value);
  });
  const preamble = Buffer.from(whole.slice(0, PREAMBLE));
  preamble.writeUInt32BE(head.length, 5);
  preamble.writeUInt32BE(inflateSync(head).length, 9);
  return new Uint8Array(Buffer.concat([preamble, head, chunk, whole.slice(end)]));
}

it('draws a file, or says why it cannot, whatever its content is', { tags: ['long'], timeout: 120_000 }, async () => {
  useHostCanvas();
  await draw(whole, 0.9);
  expect(await hostile(1e9, 0, true).then((bytes) => draw(bytes, 0.5).then(() => 'drawn'))).toBe('drawn');
  const results = { drawn: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.nat(100_000),
      fc.constantFrom(...HOSTILE),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (at, by, isHead, part) => {
        const bytes = await hostile(at, by, isHead);
        try {
          await draw(bytes, part);
          results.drawn++;
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect((error as Error).message).not.toBe('');
          results.refused++;
        }
      },
    ),
    { numRuns: 120 },
  );
  expect(Math.min(results.drawn, results.refused)).toBeGreaterThan(10);
});
