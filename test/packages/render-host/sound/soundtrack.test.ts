import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClipClock } from '#render-host/frames/clip-clock.ts';
import type { Match } from '#render-host/match/match.ts';
import type { Shot } from '#render-host/plan/shot.ts';
import { createSoundtrack } from '#render-host/sound/soundtrack.ts';
import { buildKill, buildMatch, buildShot, type MatchPlan } from '../builders.ts';

const RATE = 48_000;
const FPS = 30;

/** Nobody moves, so that only what a test adds is audible. Player 0 looks east from the origin. */
const still: MatchPlan['stand'] = (player) => ({ x: player === 0 ? 0 : 600, y: player * 300, yaw: 0 });

interface Stereo {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

async function render(match: Match, shots: readonly Shot[], decibels = 0): Promise<Stereo> {
  const clock = createClipClock(shots, match.tickRate, FPS);
  const parts = [...(await createSoundtrack(match, shots, clock, FPS)).parts(decibels)];
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const side = (offset: number) => Float32Array.from({ length: all.length / 2 }, (_, i) => all[i * 2 + offset] ?? 0);
  return { left: side(0), right: side(1) };
}

/** Root mean square between two seconds. */
function level(samples: Float32Array, from: number, to: number): number {
  const part = samples.subarray(Math.round(from * RATE), Math.round(to * RATE));
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

/** Seconds at which it becomes loud after it was not. */
function onsets(samples: Float32Array): number[] {
  const step = RATE / 500;
  const found: number[] = [];
  let before = 0;
  for (let i = 0; i + step <= samples.length; i += step) {
    const peak = samples.subarray(i, i + step).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    if (peak > 0.1 && peak > before * 3) found.push(i / RATE);
    before = Math.max(peak, before * 0.9);
  }
  return found;
}

describe('the sound of a clip', () => {
  it('has each shot of the followed player at its time, to a frame, in every shot of the clip', async () => {
    const ticks = [80, 112, 150, 200, 240];
    const weaponFires = ticks.map((tick) => ({ tick, player: 0, weapon: 'ak47' }));
    const match = buildMatch({ stand: still, weaponFires });
    const shots = [buildShot({ startTick: 64, endTick: 170 }), buildShot({ startTick: 180, endTick: 256 })];
    const { shotStarts } = createClipClock(shots, match.tickRate, FPS);
    const expected = ticks.map((tick) => {
      const at = tick < 180 ? 0 : 1;
      return (shotStarts[at] ?? 0) / FPS + (tick - (shots[at]?.startTick ?? 0)) / 64;
    });
    const { left } = await render(match, shots);
    const found = onsets(left);
    expect(found).toHaveLength(expected.length);
    for (const [i, second] of expected.entries()) expect(Math.abs((found[i] ?? 0) - second)).toBeLessThan(1 / FPS);
  });

  it('lasts as long as the frames, to a sample', async () => {
    const match = buildMatch({ stand: still });
    const shots = [buildShot({ startTick: 64, endTick: 101 }), buildShot({ startTick: 120, endTick: 301 })];
    const { frameCount } = createClipClock(shots, match.tickRate, FPS);
    expect((await render(match, shots)).left).toHaveLength((frameCount / FPS) * RATE);
  });

  it('is the same samples each time', async () => {
    const kills = [buildKill({ tick: 130, headshot: true })];
    const match = buildMatch({ kills, weaponFires: [{ tick: 130, player: 0, weapon: 'awp' }] });
    const shots = [buildShot({ kills })];
    expect(await render(match, shots, 6)).toEqual(await render(match, shots, 6));
  });

  it.each([
    ['to his left', 90, 'left'],
    ['to his right', -90, 'right'],
  ] as const)('has a shot %s on that side', async (_, angle, side) => {
    const radians = (angle * Math.PI) / 180;
    const stand: MatchPlan['stand'] = (player) =>
      player === 5
        ? { x: Math.cos(radians) * 500, y: Math.sin(radians) * 500, yaw: 0 }
        : { x: 0, y: 4000 * player, yaw: 0 };
    const match = buildMatch({ stand, weaponFires: [{ tick: 128, player: 5, weapon: 'ak47' }] });
    const sound = await render(match, [buildShot()]);
    const other = side === 'left' ? 'right' : 'left';
    expect(level(sound[side], 1, 1.3)).toBeGreaterThan(level(sound[other], 1, 1.3) * 2.5);
  });

  it('has what is far away softer and duller', async () => {
    const from = async (distance: number) => {
      const match = buildMatch({
        stand: (player) => ({ x: player === 5 ? distance : 0, y: player === 5 ? 0 : player * 9000, yaw: 0 }),
        weaponFires: [{ tick: 128, player: 5, weapon: 'ak47' }],
      });
      return (await render(match, [buildShot()])).left;
    };
    const brightness = (samples: Float32Array) =>
      level(
        samples.map((sample, i) => sample - (samples[i - 1] ?? 0)),
        1,
        1.2,
      ) / level(samples, 1, 1.2);
    const [near, far] = [await from(200), await from(2500)];
    expect(level(far, 1, 1.2)).toBeLessThan(level(near, 1, 1.2) / 3);
    expect(brightness(far)).toBeLessThan(brightness(near) / 1.6);
  });

  it('never clips, and begins and ends each shot without a click', async () => {
    const weaponFires = Array.from({ length: 400 }, (_, i) => ({ tick: 60 + (i >> 1), player: i % 10, weapon: 'awp' }));
    const kills = [5, 6, 7, 8, 9].map((victim, i) => buildKill({ tick: 100 + i * 20, victim }));
    const match = buildMatch({ weaponFires, kills });
    const { left } = await render(match, [buildShot({ kills }), buildShot({ startTick: 200, endTick: 264 })], 12);
    const peak = left.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(0.5);
    expect(peak).toBeLessThan(10 ** (-2 / 20));
    for (const cut of [0, 3, 4]) {
      const around = left.subarray(Math.max(0, cut * RATE - 20), cut * RATE + 20);
      expect(Math.max(...around.map(Math.abs))).toBeLessThan(0.02);
    }
  });

  it('is silent where nothing happens', async () => {
    const { left, right } = await render(buildMatch({ stand: still }), [buildShot()]);
    expect([left, right].every((side) => side.every((sample) => sample === 0))).toBe(true);
  });

  it('is heard from the place of the last death, and from the player once they are alive again', async () => {
    const alive = (tick: number) => tick < 70 || (tick >= 100 && tick < 130);
    const stand: MatchPlan['stand'] = (player, tick) =>
      player === 0 ? { x: tick < 100 ? 0 : 5000, y: 0, yaw: 0, alive: alive(tick) } : { x: 5050, y: 0, yaw: 0 };
    const match = buildMatch({
      stand,
      weaponFires: [80, 115, 200].map((tick) => ({ tick, player: 5, weapon: 'ak47' })),
    });
    const { left } = await render(match, [buildShot()]);
    const [first, living, second] = [80, 115, 200].map((tick) => level(left, (tick - 64) / 64, (tick - 64) / 64 + 0.2));
    expect(second).toBeGreaterThan((living ?? 0) * 0.8);
    expect(living).toBeGreaterThan((first ?? 0) * 4);
  });

  it('scans the match once for a player who was never alive, however many sounds there are', async () => {
    const ticks = 20_000;
    const stand: MatchPlan['stand'] = (player) => ({ x: 0, y: player, yaw: 0, alive: player > 0 });
    const weaponFires = Array.from({ length: 300 }, (_, i) => ({ tick: ticks - 301 + i, player: 1, weapon: 'ak47' }));
    const match = buildMatch({ ticks, players: [{}, {}], stand, weaponFires });
    let reads = 0;
    const flags = new Proxy(match.tracks.flags, {
      get(of, key) {
        if (typeof key === 'string' && key !== 'length') reads++;
        return Reflect.get(of, key, of);
      },
    });
    await render({ ...match, tracks: { ...match.tracks, flags } }, [
      buildShot({ startTick: ticks - 302, endTick: ticks }),
    ]);
    expect(reads).toBeLessThan(3 * ticks);
  });

  it('lets the event loop run during the computation, and stops when it is aborted', async () => {
    const clock = createClipClock([buildShot()], 64, FPS);
    // Each step takes longer than the loop may be blocked, on any machine.
    let now = 0;
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    onTestFinished(() => spy.mockRestore());
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('the lease is lost')));
    const made = createSoundtrack(buildMatch(), [buildShot()], clock, FPS, stop.signal);
    await expect(made).rejects.toThrow('the lease is lost');
  });
});
