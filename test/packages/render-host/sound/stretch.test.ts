import { expect, it } from 'vitest';
import { secondAt } from '#domain/plan/shot-time.ts';
import { slowKills } from '#domain/plan/slow-kills.ts';
import { soundPieces } from '#render-host/capture/cs2/cs2-capture.ts';
import { stretched } from '#render-host/sound/finish-sound.ts';
import type { Samples } from '#render-host/sound/signal.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { buildKill, buildMatch, buildShot } from '../builders.ts';

const RATE = 48_000;

type Pieces = Parameters<typeof stretched>[1];

const secondsOf = (pieces: Pieces): number => pieces.reduce((sum, { seconds }) => sum + seconds, 0);

async function play(sound: Samples, pieces: Pieces, seconds = secondsOf(pieces)): Promise<Float32Array> {
  const read = async (first: number, count: number) =>
    Float32Array.from({ length: count * 2 }, (_, i) => sound[first * 2 + i] ?? 0);
  const all: number[] = [];
  for await (const part of stretched(read, pieces, Math.round(seconds * RATE))) all.push(...part);
  return Float32Array.from(all);
}

/** Both sides of a function of seconds. */
function sound(seconds: number, at: (second: number) => number): Samples {
  return Float32Array.from({ length: seconds * RATE * 2 }, (_, i) => at((i >> 1) / RATE));
}

/** A beep of 20 ms every quarter of a second. */
const beeps = sound(4, (second) => (second % 0.25 < 0.02 ? Math.sin(second * 6000) : 0));

/** A slow kill: a ramp, the kill, a ramp, in several constant speeds; then twice the speed. */
const PIECES = [
  [0, 1, 1],
  [1, 1.2, 0.25],
  [1.2, 1.4, 0.4],
  [1.4, 2, 2],
  [2, 2.2, 0.4],
  [2.2, 3, 0.8],
  [3, 4, 0.5],
].map(([fromSeconds = 0, toSeconds = 0, seconds = 0]) => ({ fromSeconds, toSeconds, seconds }));

/** Seconds at which a beep begins. */
function startsOf(out: Float32Array): number[] {
  const starts: number[] = [];
  for (let i = 0, quiet = RATE; i < out.length / 2; i++) {
    if (Math.abs(out[i * 2] ?? 0) < 0.3) quiet++;
    else {
      if (quiet > 0.02 * RATE) starts.push(i / RATE);
      quiet = 0;
    }
  }
  return starts;
}

it('plays each moment at its time, to a frame of 30 a second, and lasts to a sample', async () => {
  const out = await play(beeps, PIECES);
  expect(out.length).toBe(256_800 * 2);
  const starts = startsOf(out);
  let at = 0;
  for (const { fromSeconds, toSeconds, seconds } of PIECES) {
    for (let beep = Math.ceil(fromSeconds * 4) / 4; beep < toSeconds - 0.05; beep += 0.25) {
      const expected = at + ((beep - fromSeconds) * seconds) / (toSeconds - fromSeconds);
      expect(Math.min(...starts.map((start) => Math.abs(start - expected)))).toBeLessThan(1 / 30);
    }
    at += seconds;
  }
});

it('does not change sound at its own speed', async () => {
  const out = await play(beeps, [{ fromSeconds: 0.5, toSeconds: 2, seconds: 1.5 }]);
  const expected = beeps.subarray(0.5 * RATE * 2, 2 * RATE * 2);
  expect(out.every((value, i) => Math.abs(value - (expected[i] ?? 0)) < 1e-6)).toBe(true);
});

it('is silent where the file has ended', async () => {
  const out = await play(beeps.subarray(0, RATE), [{ fromSeconds: 0, toSeconds: 1, seconds: 2 }]);
  expect(out.subarray(2.2 * RATE).every((value) => value === 0)).toBe(true);
});

/** Three seconds of the game, with a kill in the middle. */
const shot = buildShot({ kills: [buildKill({ tick: 160 })] });
const match = { ...buildMatch(), endsRound: () => false };
const constant = (speed: number) => ({ ...shot, speeds: [{ tick: 64, speed }] });

it.each([
  ['a slow kill', { ...shot, speeds: slowKills(match, shot, 0.3).speeds }, 0.025],
  ['0.1 of the speed', constant(0.1), 0.1],
  ['four times the speed', constant(4), 0.025],
])(
  'plays the film of a shot as long as its frames, without a gap, and each moment at its time: %s',
  async (_, cut, close) => {
    const seconds = createClipClock([cut], 64, 30).frameCount / 30;
    const pieces = soundPieces(cut, cut.startTick, 64);
    expect(secondsOf(pieces)).toBeCloseTo(secondAt(cut, cut.endTick, 64), 9);
    for (const [i, { fromSeconds }] of pieces.entries()) expect(fromSeconds).toBe(pieces[i - 1]?.toSeconds ?? 0);
    const out = await play(
      sound(4, (second) => Math.sin(second * 2764)),
      pieces,
      seconds,
    );
    expect(out.length).toBe(Math.round(seconds * RATE) * 2);
    for (let at = 0; at + 480 <= out.length; at += 480) {
      expect(out.subarray(at, at + 480).reduce((most, value) => Math.max(most, value), 0)).toBeGreaterThan(0.9);
    }
    const long = sound(4, (second) => (second % 0.25 < 0.1 ? Math.sin(second * 2764) : 0));
    const starts = startsOf(await play(long, pieces, seconds));
    for (let beep = 0.25; beep < 2.9; beep += 0.25) {
      const expected = secondAt(cut, cut.startTick + beep * 64, 64);
      expect(Math.min(...starts.map((start) => Math.abs(start - expected)))).toBeLessThan(close);
    }
  },
);
