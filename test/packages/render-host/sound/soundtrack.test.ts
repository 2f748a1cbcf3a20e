import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { secondAt } from '#domain/clip/plan/shot-time.ts';
import type { MapEffect, Match } from '#render-host/match/match.ts';
import { cuesOf, type SoundCue } from '#render-host/sound/cues.ts';
import { createSoundtrack } from '#render-host/sound/soundtrack.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { readLevels } from '#scene/match/levels.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch, buildShot, type MatchPlan } from '../builders.ts';

const RATE = 48_000;
const FPS = 30;

/** Nobody moves, so that only what a test adds is audible. Player 0 looks east from the origin. */
const still: NonNullable<MatchPlan['stand']> = (player) => ({ x: player === 0 ? 0 : 600, y: player * 300, yaw: 0 });

interface Stereo {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

async function render(match: Match, shots: readonly Shot[]): Promise<Stereo> {
  const clock = createClipClock(shots, match.tickRate, FPS);
  const soundtrack = await createSoundtrack(match, shots, clock, FPS);
  const parts = [...soundtrack.parts()];
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const side = (offset: number) => Float32Array.from({ length: all.length / 2 }, (_, i) => all[i * 2 + offset] ?? 0);
  return { left: side(0), right: side(1) };
}

function cuesIn(match: Match, shot: Shot): readonly SoundCue[] {
  const steps = cuesOf(match, shot, readLevels(match));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Root mean square between two seconds. */
function level(samples: Float32Array, from: number, to: number): number {
  const part = samples.subarray(Math.round(from * RATE), Math.round(to * RATE));
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

/** Root mean squares in decibels below full scale, of 20 ms each. The fades at the ends of the clip are left out. */
function windows(samples: Float32Array): number[] {
  const count = Math.floor(samples.length / RATE / 0.02) - 6;
  return Array.from({ length: count }, (_, i) => 20 * Math.log10(level(samples, (i + 3) * 0.02, (i + 4) * 0.02)));
}

/** The frequency in hertz around which the energy between two seconds lies. */
function brightness(samples: Float32Array, from: number, to: number): number {
  const steps = samples.map((sample, i) => sample - (samples[i - 1] ?? 0));
  return (Math.asin(level(steps, from, to) / level(samples, from, to) / 2) * RATE) / Math.PI;
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

/** The level of one frequency between two seconds. */
function strength(samples: Float32Array, hertz: number, from: number, to: number): number {
  const part = samples.subarray(Math.round(from * RATE), Math.round(to * RATE));
  const wave = (turn: number) =>
    part.reduce((sum, sample, i) => sum + sample * Math.cos((2 * Math.PI * hertz * i) / RATE + turn), 0);
  return Math.hypot(wave(0), wave(Math.PI / 2)) / part.length;
}

/** The left side of a clip in which a grenade takes effect 300 units in front of the listener after a second. */
async function soundOf(kind: MapEffect['kind']): Promise<Float32Array> {
  const effect = { kind, startTick: 64, endTick: 512, x: 300, y: 0, z: 0, flames: [] };
  const match = buildMatch({ stand: still, ticks: 700, effects: [effect] });
  return (await render(match, [buildShot({ startTick: 0, endTick: 640 })])).left;
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

  it('has each sound of slow and fast motion at its time, and as high as it is', async () => {
    const ticks = [90, 120, 150, 240];
    const weaponFires = ticks.map((tick) => ({ tick, player: 0, weapon: 'ak47' }));
    const match = buildMatch({ stand: still, weaponFires });
    const plain = buildShot();
    const [slow, mixed] = [[{ tick: 0, speed: 0.2 }], [90, 150].map((tick, i) => ({ tick, speed: i === 0 ? 0.2 : 2 }))];
    const usual = (await render(match, [plain])).left;
    for (const speeds of [slow, mixed]) {
      const shot = { ...plain, speeds };
      const { left } = await render(match, [shot]);
      const expected = ticks.map((tick) => secondAt(shot, tick, 64));
      const found = onsets(left);
      expect(found).toHaveLength(expected.length);
      for (const [i, second] of expected.entries()) expect(Math.abs((found[i] ?? 0) - second)).toBeLessThan(0.01);
      const [from, at] = [expected[0] ?? 0, (90 - 64) / 64];
      expect(brightness(left, from, from + 0.2)).toBeCloseTo(brightness(usual, at, at + 0.2), -2);
    }
  });

  it('has a fire that burns as long as it is shown, and begins once', async () => {
    const fire = { kind: 'fire', startTick: 64, endTick: 512, x: 300, y: 0, z: 0, flames: [] } as const;
    const match = buildMatch({ stand: still, ticks: 700, effects: [fire] });
    const shot = buildShot({ startTick: 0, endTick: 640, speeds: [{ tick: 0, speed: 0.25 }] });
    const { left } = await render(match, [shot]);
    const burning = Array.from({ length: 27 }, (_, i) => level(left, 4 + i, 5 + i));
    expect(Math.min(...burning)).toBeGreaterThan(4 * level(left, 1, 3));
    expect(Math.max(...burning.slice(1))).toBeLessThan(level(left, 4, 4.5));
    expect(level(left, 33, 39)).toBeLessThan(1.2 * level(left, 1, 3));
  });

  it('has a fire that began before the shot, as far as it has burnt', () => {
    const fire = { kind: 'fire', startTick: 100, endTick: 548, x: 300, y: 0, z: 0, flames: [] } as const;
    const match = buildMatch({ stand: still, ticks: 700, effects: [fire] });
    const cues = cuesIn(match, buildShot({ startTick: 164, endTick: 640 }));
    expect(cues).toMatchObject([{ at: -1, variant: 0, seconds: 7 }]);
  });

  it('is the victim’s in their view: their death, not the killer’s chime', () => {
    const kills = [buildKill({ tick: 128 })];
    const inner = (pov: number) =>
      cuesIn(buildMatch({ kills, stand: still }), buildShot({ pov, subject: 0, kills })).map(({ voice }) => voice);
    expect([inner(0), inner(5)]).toEqual([['kill'], ['death']]);
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
    expect(await render(match, shots)).toEqual(await render(match, shots));
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
    const [near, far] = [await from(200), await from(2500)];
    expect(level(far, 1, 1.2)).toBeLessThan(level(near, 1, 1.2) / 3);
    expect(brightness(far, 1, 1.05)).toBeLessThan(brightness(near, 1, 1.05) / 1.6);
  });

  it('begins and ends each shot without a click', async () => {
    const weaponFires = Array.from({ length: 400 }, (_, i) => ({ tick: 60 + (i >> 1), player: i % 10, weapon: 'awp' }));
    const kills = [5, 6, 7, 8, 9].map((victim, i) => buildKill({ tick: 100 + i * 20, victim }));
    const match = buildMatch({ weaponFires, kills });
    const { left } = await render(match, [buildShot({ kills }), buildShot({ startTick: 200, endTick: 264 })]);
    for (const cut of [0, 3, 4]) {
      const around = left.subarray(Math.max(0, cut * RATE - 20), cut * RATE + 20);
      expect(Math.max(...around.map((sample, i) => Math.abs(sample - (around[i - 1] ?? sample))))).toBeLessThan(0.02);
    }
  });

  it('has a faint wind where nothing happens, which differs between the sides and continues over a cut', async () => {
    const shots = [buildShot(), buildShot({ startTick: 100, endTick: 292 })];
    const { left, right } = await render(buildMatch({ stand: still }), shots);
    expect(Math.max(...windows(left), ...windows(right))).toBeLessThan(-42);
    expect(Math.min(...windows(left), ...windows(right))).toBeGreaterThan(-58);
    const both = left.map((sample, i) => (sample + (right[i] ?? 0)) / 2);
    expect(level(both, 0.1, 5.9)).toBeLessThan(level(left, 0.1, 5.9) * 0.85);
    expect([left[0], left.at(-1), right[0], right.at(-1)]).toEqual([0, 0, 0, 0]);
  });

  it.each([120, 250])('is never silent while a player moves %i units a second', async (speed) => {
    const stand: MatchPlan['stand'] = (player, tick) => ({ x: (tick / 64) * speed, y: player * 3000, yaw: 0 });
    const { left } = await render(buildMatch({ stand, ticks: 1300 }), [buildShot({ startTick: 0, endTick: 1280 })]);
    expect(Math.min(...windows(left))).toBeGreaterThan(-60);
    expect(Math.max(...windows(left)) > -35).toBe(speed > 140);
  });

  it.each([
    ['smoke', 2.5, 15, 2],
    ['fire', 6, 10, 1.5],
    ['explosion', 0.3, 6, 1.5],
    ['flash', 0.5, 18, 1.05],
    ['decoy', 2.4, 8, 1.5],
  ] as const)('has a %s that fades and grows darker', async (kind, later, decibels, darker) => {
    const sound = await soundOf(kind);
    const from = 1 + later;
    expect(20 * Math.log10(level(sound, 1, 1.05) / level(sound, from, from + 0.2))).toBeGreaterThan(decibels);
    expect(brightness(sound, 1, 1.05) / brightness(sound, from, from + 0.2)).toBeGreaterThan(darker);
  });

  it.each(['smoke', 'fire'] as const)('has a %s that is no even noise', async (kind) => {
    const sound = await soundOf(kind);
    const levels = Array.from({ length: 20 }, (_, i) => 20 * Math.log10(level(sound, 1.3 + i * 0.1, 1.4 + i * 0.1)));
    const changes = levels.slice(1).map((now, i) => Math.abs(now - (levels[i] ?? now)));
    const mean = changes.reduce((sum, change) => sum + change) / changes.length;
    expect(mean).toBeGreaterThan(1.5);
    expect(mean).toBeLessThan(4);
  });

  it('has a flash that rings after its bang', async () => {
    const sound = await soundOf('flash');
    expect(strength(sound, 3150, 1.4, 1.5) / strength(sound, 3650, 1.4, 1.5)).toBeGreaterThan(50);
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
