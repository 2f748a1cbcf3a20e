import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  createDamageTicker,
  createFootageSource,
  withFootageOverlay,
} from '#render-host/capture/cs2/footage/footage-overlay.ts';
import { drawPatch } from '#render-host/drawing/host-canvas.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { MachineError } from '#render-host/machine/program.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildHurt, buildKill, buildMatch, buildOptions, buildShot } from '../../../builders.ts';
import { changedPixels, type Region, TOP_RIGHT, WHOLE } from '../../../frame-checks.ts';

const never = new AbortController().signal;
const OPTIONS = buildOptions({ fps: 10 });
let folder: string;
let ffmpeg: Ffmpeg;
let ramp: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-footage-'));
  ffmpeg = await findFfmpeg(process.env);
  // Thirty frames that get lighter by eight steps a frame, in another size than the clip's.
  ramp = join(folder, 'ramp10.mkv');
  for (const rate of [10, 20]) {
    const source = ['-f', 'lavfi', '-i', `color=black:size=320x180:rate=${rate}:duration=${30 / rate}`];
    const lighter = ['-vf', 'geq=lum=16+N*7:cb=128:cr=128', '-c:v', 'libx264', '-qp', '0'];
    await promisify(execFile)(ffmpeg.path, ['-v', 'error', ...source, ...lighter, join(folder, `ramp${rate}.mkv`)]);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the number of the ramp's frame by a frame's lightness. */
function stepOf(frame: Uint8Array): number {
  return Math.round(((frame[(180 * 640 + 320) * 4] ?? 0) * 219) / 255 / 7);
}

async function stepsOf(source: FrameSource): Promise<number[]> {
  const steps: number[] = [];
  for await (const frame of source.frames(never)) {
    steps.push(stepOf(frame));
    // The next frame must not show what a consumer paints into this one.
    frame.fill(0);
  }
  return steps;
}

interface Filmed extends Pick<Shot, 'startTick' | 'endTick'>, Partial<Pick<Shot, 'speeds'>> {
  readonly from?: number;
  readonly to?: number;
  readonly fps?: number;
}

function source(shots: readonly Filmed[]): FrameSource {
  const footage = shots.map(({ from, to, fps = 10, ...shot }) => ({
    recorded: { shot: buildShot(shot), startTick: from ?? shot.startTick, endTick: to ?? shot.endTick, slot: 1, fps },
    videoPath: fps === 20 ? ramp.replace('10', '20') : ramp,
  }));
  return createFootageSource(ffmpeg.path, { tickRate: 64 }, footage, OPTIONS);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('footage', () => {
  it('is shown frame by frame, each shot as long as it is, in the clip’s size', async () => {
    const frames = source([
      { startTick: 100, endTick: 292 },
      { startTick: 400, endTick: 464 },
    ]);
    expect(frames.frameCount).toBe(40);
    expect(await stepsOf(frames)).toEqual([...range(0, 30), ...range(0, 10)]);
  });

  it('is the same frame when it is asked for alone', async () => {
    const frames = source([
      { startTick: 100, endTick: 292 },
      { startTick: 400, endTick: 464 },
    ]);
    for (const [index, step] of [
      [0, 0],
      [17, 17],
      [29, 29],
      [33, 3],
    ] as const) {
      const frame = await frames.frame(index);
      expect(frame).toHaveLength(640 * 360 * 4);
      expect(stepOf(frame)).toBe(step);
    }
  });

  it('is shown at the speeds of the shot, whatever the rate of the film', async () => {
    const at = (speed: number) => [{ tick: 0, speed }];
    const double = source([{ startTick: 100, endTick: 292, speeds: at(2) }]);
    expect(await stepsOf(double)).toEqual(range(0, 15).map((i) => i * 2));
    expect(stepOf(await double.frame(7))).toBe(14);
    // Thirty frames are a second and a half of the game at 20 a second.
    const half = { startTick: 100, endTick: 196, speeds: at(0.5), fps: 20 };
    expect(await stepsOf(source([half, half]))).toEqual([...range(0, 30), ...range(0, 30)]);
    const slowest = source([{ startTick: 100, endTick: 196, speeds: at(0.25), fps: 20 }]);
    expect(await stepsOf(slowest)).toEqual(
      range(0, 30)
        .flatMap((i) => (i === 0 ? [0] : [i, i]))
        .concat(29),
    );
    const lost = source([{ startTick: 100, endTick: 228, speeds: at(0.5), fps: 20 }]);
    expect(await stepsOf(lost)).toEqual([...range(0, 30), ...Array(10).fill(29)]);
  });

  it('goes over from one speed to another without a jump', async () => {
    const speeds = [
      { tick: 132, speed: 1 },
      { tick: 164, speed: 0.5 },
    ];
    const steps = await stepsOf(source([{ startTick: 100, endTick: 196, speeds, fps: 20 }]));
    const gaps = steps.slice(1).map((step, i) => step - (steps[i] ?? 0));
    expect(gaps.slice(0, 5)).toEqual(Array(5).fill(2));
    expect(gaps.slice(-10)).toEqual(Array(10).fill(1));
    expect(gaps.every((gap) => gap === 1 || gap === 2)).toBe(true);
  });

  it('repeats a frame if the game could not record the start or the end of a demo', async () => {
    const frames = source([{ startTick: 64, endTick: 320, from: 128, to: 320 }]);
    expect(await stepsOf(frames)).toEqual([...Array(10).fill(0), ...range(0, 30)]);
    expect(stepOf(await frames.frame(5))).toBe(0);
    expect(stepOf(await frames.frame(12))).toBe(2);
    const late = source([{ startTick: 64, endTick: 320, to: 256 }]);
    expect(await stepsOf(late)).toEqual([...range(0, 30), ...Array(10).fill(29)]);
  });

  it('ends without an error when it is aborted, and throws when it is no video', async () => {
    const controller = new AbortController();
    let seen = 0;
    for await (const _ of source([{ startTick: 100, endTick: 292 }]).frames(controller.signal)) {
      seen++;
      controller.abort();
    }
    expect(seen).toBeLessThan(30);
    ramp = join(folder, 'junk.mkv');
    await writeFile(ramp, 'no video');
    const junk = source([{ startTick: 100, endTick: 292 }]);
    await expect(stepsOf(junk)).rejects.toThrow(/decoder ended with/);
    await expect(junk.frame(0)).rejects.toThrow(/decoder ended with/);
  });
});

describe('footage that cannot be read on this machine', () => {
  const shot = { shot: buildShot({ startTick: 100, endTick: 292 }), startTick: 100, endTick: 292, slot: 1, fps: 10 };
  const read = (program: string, videoPath: string) =>
    stepsOf(createFootageSource(program, { tickRate: 64 }, [{ recorded: shot, videoPath }], OPTIONS));

  it('is a machine error when the file is gone', async () => {
    await expect(read(ffmpeg.path, join(folder, 'gone.mkv'))).rejects.toThrow(MachineError);
  });

  it('is a machine error when the decoder is killed, also after some frames', async () => {
    const killed = join(folder, 'killed');
    const bytes = 3 * OPTIONS.width * OPTIONS.height * 4;
    await writeFile(killed, `#!/bin/sh\nhead -c ${bytes} /dev/zero\nkill -9 $$\n`, { mode: 0o755 });
    await expect(read(killed, ramp)).rejects.toThrow(MachineError);
  });
});

describe('the overlay of footage', () => {
  const kill = buildKill({ tick: 128 });
  const match = buildMatch({ kills: [kill], hurts: [buildHurt({ tick: 120 })] });
  const shots = [buildShot({ kills: [kill] }), buildShot({ startTick: 260, endTick: 300 })];
  const MIDDLE: Region = { left: 0.35, top: 0.25, right: 0.7, bottom: 0.75 };
  const grey: FrameSource = {
    frameCount: 36,
    async *frames() {
      for (let i = 0; i < 36; i++) yield new Uint8Array(640 * 360 * 4).fill(128);
    },
    frame: async () => new Uint8Array(640 * 360 * 4).fill(128),
  };
  const dressed = (change: object) => withFootageOverlay(grey, match, shots, { ...OPTIONS, ...change });
  const changedIn = async (change: object, frame: number, where: Region, content?: 'bare') =>
    changedPixels(await grey.frame(0), await dressed(change).frame(frame, content), OPTIONS, where);

  it('is nothing unless it was asked for: the game draws its own', () => {
    expect(dressed({})).toBe(grey);
  });

  it('is our killfeed in its corner from the kill on, across shots, but not on a bare frame', async () => {
    const feed = { ownKillfeed: true };
    expect(await changedIn(feed, 8, WHOLE)).toBe(0);
    for (const frame of [14, 34]) {
      const inCorner = await changedIn(feed, frame, TOP_RIGHT);
      expect(inCorner).toBeGreaterThan(500);
      expect(await changedIn(feed, frame, WHOLE)).toBe(inCorner);
    }
    expect(await changedIn(feed, 14, WHOLE, 'bare')).toBe(0);
  });

  it('is the damage next to the crosshair while it is fresh', async () => {
    const ticker = { damageTicker: true };
    expect(await changedIn(ticker, 8, WHOLE)).toBe(0);
    const near = await changedIn(ticker, 10, MIDDLE);
    expect(near).toBeGreaterThan(50);
    expect(await changedIn(ticker, 10, WHOLE)).toBe(near);
    expect(await changedIn(ticker, 22, WHOLE)).toBe(0);
  });

  it('is the same in a row of frames as on one alone', async () => {
    const source = dressed({ ownKillfeed: true, damageTicker: true });
    let index = 0;
    for await (const frame of source.frames(never)) {
      if (index % 7 === 0) expect(Buffer.compare(frame, await source.frame(index))).toBe(0);
      index++;
    }
    expect(index).toBe(36);
  });
});

/** Returns the ticks of a shot, every fourth, at which there is a number to see. */
function shownTicks(hurt: Parameters<typeof buildHurt>[0], pov = 0): number[] {
  const shots = [buildShot({ endTick: 300, pov, subject: 0 })];
  const ticker = createDamageTicker(buildMatch({ hurts: [buildHurt(hurt)] }), shots, 1);
  return Array.from({ length: 60 }, (_, i) => 64 + i * 4).filter((tick) => ticker.isShown(0, tick));
}

test('a hit is shown from its tick on for a little over a second', () => {
  const ticks = shownTicks({ tick: 120 });
  expect(ticks[0]).toBe(120);
  expect(ticks.at(-1)).toBe(188);
});

test('the victim’s view has the numbers of the killer', () => {
  expect(shownTicks({ tick: 120 }, 5)).toEqual(shownTicks({ tick: 120 }));
  expect(shownTicks({ attacker: 5, victim: 0 }, 5)).toEqual([]);
});

test.each([
  ['of another player', { attacker: 1 }],
  ['of nobody', { attacker: null }],
  ['on himself', { victim: 0 }],
  ['that took nothing', { damage: 0 }],
  ['before the shot', { tick: 60 }],
  ['after the shot', { tick: 300 }],
])('a hit %s is not shown', (_, hurt) => {
  expect(shownTicks(hurt)).toEqual([]);
});

/** A frame of 3 × 2 opaque pixels, all of one colour. */
const frameOf = (...color: number[]) => Uint8Array.from({ length: 3 * 2 * 4 }, (_, i) => [...color, 255][i % 4] ?? 0);

test('an opaque pixel lets nothing of the brightest frame through', () => {
  const frame = frameOf(255, 255, 255);
  drawPatch({ pixels: Uint8Array.of(10, 20, 30, 255), width: 1, height: 1 }, frame, 3, 0, 0);
  expect([...frame.subarray(0, 8)]).toEqual([10, 20, 30, 255, 255, 255, 255, 255]);
});

test('a patch covers, blends and lets through, at its place and nowhere else', () => {
  const frame = frameOf(100, 100, 100);
  const pixels = Uint8Array.of(...[200, 0, 0, 255], ...[100, 0, 0, 128], ...[0, 0, 0, 0], ...[0, 0, 64, 64]);
  drawPatch({ pixels, width: 2, height: 2 }, frame, 3, 1, 0);
  const rows = [0, 1].map((y) => [0, 1, 2].map((x) => [...frame.subarray((y * 3 + x) * 4, (y * 3 + x) * 4 + 4)]));
  expect(rows).toEqual([
    [
      [100, 100, 100, 255],
      [200, 0, 0, 255],
      [150, 50, 50, 255],
    ],
    [
      [100, 100, 100, 255],
      [100, 100, 100, 255],
      [75, 75, 139, 255],
    ],
  ]);
});
