import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { Match } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { createCamera } from '#scene/camera/camera.ts';
import { teamColor } from '#scene/drawing/theme.ts';
import { createFootprint } from '#scene/map/footprint.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';
import { buildMatch, buildOptions, buildShot } from '../../render-host/builders.ts';
import { haveRealDemos, realDemo } from '../../render-host/match/real-demos.ts';

useHostCanvas();

/** WCAG 2.2, "contrast ratio": what marks and their surroundings need at least. */
const LEAST = 3;
/** The step of the pixels that are measured. */
const EVERY = 7;
const options = buildOptions();

function luminance(channels: ArrayLike<number>): number {
  const [red = 0, green = 0, blue = 0] = Array.from(channels, (channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Paints a frame and measures the middle luminance of floor and ground, and the part of the picture that is dark. */
function measure(match: Match, shot: Shot, tick: number, known: Parameters<typeof createScene>[3] = null) {
  const { width, height, fps } = options;
  const canvas = createCanvas(width, height);
  const frame = Math.floor(((tick - shot.startTick) / match.tickRate) * fps);
  createScene(match, [shot], options, known).paint(canvas.getContext('2d', { alpha: false }), frame, 'bare');
  const pixels = canvas.data();
  const camera = createCamera(match, shot, width, height, shot.kills.at(-1) ?? null);
  const view = camera.at(shot.startTick + (frame / fps) * match.tickRate);
  const print = createFootprint(match, camera.bounds);
  const floor: number[] = [];
  const ground: number[] = [];
  for (let at = 0; at < width * height; at += EVERY) {
    const east = view.x + ((at % width) - width / 2) / view.zoom;
    const north = view.y - (Math.floor(at / width) - height / 2) / view.zoom;
    const cell = Math.round((print.y - north) / print.cell) * print.width + Math.round((east - print.x) / print.cell);
    const edge = print.edge[cell] ?? 0;
    // Not the rim and the shadow between floor and ground.
    if (Math.abs(edge) > 12) (edge > 0 ? floor : ground).push(luminance(pixels.subarray(at * 4, at * 4 + 3)));
  }
  const dark = [...floor, ...ground].filter((one) => one < 0.02).length / (floor.length + ground.length);
  return { floor: middle(floor), ground: middle(ground), dark };
}

function expectLegible({ floor, ground }: ReturnType<typeof measure>): void {
  expect(contrast(floor, ground)).toBeGreaterThan(LEAST);
  for (const team of ['CT', 'T'] as const) {
    const color = [1, 3, 5].map((at) => Number.parseInt(teamColor(team).slice(at, at + 2), 16));
    expect(contrast(luminance(color), floor)).toBeGreaterThan(LEAST);
  }
}

async function read(path: string): Promise<Match> {
  const result = await readMatch(path);
  return result.ok ? result.match : expect.unreachable(result.detail);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contrast-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('the map in daylight', () => {
  it.skipIf(!haveRealDemos).each<[string, string, number]>([
    ['14065.dem', 'Partridge', 60],
    ['14065.dem', 'Partridge', 150],
    ['14090.dem', 'Ferris', 360],
    ['14090.dem', 'Walt', 466],
    ['14160.dem', 'Partridge', 40],
    ['14160.dem', 'Partridge', 140],
  ])('has a floor and players that stand out, and is not black: %s, %s at %i', async (demo, name, tick) => {
    const match = await read(realDemo(demo));
    const pov = match.players.findIndex((player) => player.name === name);
    const [startTick, endTick] = [Math.max(tick - 128, match.firstTick), Math.min(tick + 64, match.lastTick)];
    const kills = match.kills.filter((kill) => kill.attacker === pov);
    const measured = measure(match, buildShot({ pov, startTick, endTick, kills }), tick);
    expectLegible(measured);
    expect(measured.dark).toBeLessThan(0.75);
  });

  it('has a floor and players that stand out in the sample', async () => {
    const path = join(await temporaryFolder(), 'sample.dem');
    await writeDemoFile(createSampleMatch({ rounds: 1 }), path);
    const match = await read(path);
    const [kill] = match.kills;
    const [pov, tick] = [kill?.attacker ?? 0, kill?.tick ?? 0];
    expectLegible(measure(match, buildShot({ pov, startTick: tick - 64, endTick: tick + 64 }), tick));
  });

  it.each(['#303030', '#e0e0e0'])('has an operator’s picture as bright as its own floor, from %s', async (color) => {
    const match = buildMatch();
    const image = createCanvas(64, 64);
    const ctx = image.getContext('2d');
    ctx.fillStyle = color;
    ctx.fillRect(0, 0, 64, 64);
    const path = join(await temporaryFolder(), 'de_mirage.png');
    await writeFile(path, image.toBuffer('image/png'));
    const placed = { image: await loadImage(path), x: -3000, y: 3000, width: 6000, height: 6000 };
    const known = { walked: new Uint32Array(0), picture: () => placed };
    const { floor } = measure(match, buildShot(), 128, known);
    expectLegible({ floor, ground: luminance([9, 13, 18]), dark: 0 });
  });
});
