import { describe, expect, it } from 'vitest';
import { bombBeeps, bombSiteAt, bombWorkAt } from '#scene/match/player-state.ts';
import { buildMatch, buildOptions, buildShot, type MatchPlan } from '../../render-host/builders.ts';
import { changedPixels, paintFrame } from '../../render-host/frame-checks.ts';

const still: MatchPlan['stand'] = (player) => ({ x: (player % 5) * 150, y: player * 20, yaw: 0 });
const outfit = { armor: 0, helmet: false, kit: false, money: 0, weapon: null, items: [] };
const planting = {
  stand: still,
  ticks: 6000,
  outfits: [{ tick: 0, player: 1, place: 'BombsiteB', ...outfit }],
  bombActions: [
    { tick: 64, kind: 'plant_begun', player: 1 },
    { tick: 269, kind: 'planted', player: 1 },
    { tick: 400, kind: 'defuse_begun', player: 0, hasKit: true },
    { tick: 460, kind: 'defuse_given_up', player: 0 },
  ],
} as const satisfies MatchPlan;
const bomb = { kind: 'bomb', startTick: 269, endTick: 269 + 40 * 64, x: 150, y: 20, z: 0 } as const;

describe('the bomb', () => {
  it('beeps once a second at first and ever quicker, until it is over', () => {
    const beeps = bombBeeps(bomb, 64);
    const pauses = beeps.slice(1).map((tick, i) => (tick - (beeps[i] ?? 0)) / 64);
    expect(pauses[0]).toBeCloseTo(0.98, 1);
    expect(pauses.at(-1)).toBeCloseTo(0.15, 2);
    for (const [i, pause] of pauses.slice(1).entries()) expect(pause).toBeLessThanOrEqual((pauses[i] ?? 0) + 1e-9);
    expect(Math.max(...bombBeeps({ startTick: 0, endTick: 640 }, 64))).toBeLessThan(640);
  });

  it('shows a plant or defuse from its start until it is done or aborted', () => {
    const match = buildMatch(planting);
    expect(bombWorkAt(match, 63)).toBeNull();
    expect(bombWorkAt(match, 64 + 102.4)).toMatchObject({ kind: 'plant', player: 1, done: 0.5 });
    expect(bombWorkAt(match, 300)).toBeNull();
    expect(bombWorkAt(match, 448)).toMatchObject({ kind: 'defuse', player: 0, done: 0.15 });
    expect(bombWorkAt(match, 461)).toBeNull();
    expect(bombSiteAt(match, 300)).toBe('B');
  });

  it('has its state at the top: ticking, then defused or exploded', () => {
    const options = buildOptions({ onlyDeathnotices: false });
    const shot = buildShot({ startTick: 64, endTick: 640 });
    const top = { left: 0.44, top: 0, right: 0.56, bottom: 0.09 };
    const frame = (plan: MatchPlan) =>
      paintFrame(buildMatch({ stand: still, ticks: 1000, ...plan }), [shot], options, 70);
    const ended = (kind: 'defused' | 'exploded') => frame({ bombActions: [{ tick: 480, kind, player: 0 }] });
    const seen = [frame({}), frame({ effects: [bomb] }), ended('defused'), ended('exploded')];
    for (const [i, one] of seen.entries()) {
      for (const other of seen.slice(i + 1)) expect(changedPixels(one, other, options, top)).toBeGreaterThan(100);
    }
  });

  it('is seen: planted, carried, dropped, and being planted', () => {
    const options = buildOptions();
    const shot = buildShot({ startTick: 64, endTick: 640 });
    const frame = (plan: MatchPlan, tick: number) =>
      paintFrame(buildMatch({ stand: still, ticks: 1000, ...plan }), [shot], options, ((tick - 64) / 64) * 10);
    const quiet = frame({}, 320);
    const differs = (plan: MatchPlan, tick = 320) => changedPixels(quiet, frame(plan, tick), options);
    expect(differs({ effects: [bomb] })).toBeGreaterThan(150);
    const blast = { ...bomb, kind: 'explosion', startTick: 313, endTick: 345 } as const;
    const over = { ...bomb, endTick: 313 };
    expect(differs({ effects: [over, blast] })).toBeGreaterThan(3 * differs({ effects: [blast] }));
    expect(differs({ bombPlaces: [{ tick: 0, carrier: 1, ground: null }] })).toBeGreaterThan(20);
    expect(differs({ bombPlaces: [{ tick: 0, carrier: null, ground: { x: 80, y: -60, z: 0 } }] })).toBeGreaterThan(60);
    expect(differs({ bombActions: [{ tick: 256, kind: 'plant_begun', player: 1 }] })).toBeGreaterThan(100);
  });

  it('lies still, then slides from one sample of the recording to the next', () => {
    const shot = buildShot({ startTick: 64, endTick: 640 });
    const at = (...places: readonly (readonly [tick: number, x: number])[]) => {
      const bombPlaces = places.map(([tick, x]) => ({ tick, carrier: null, ground: { x, y: -60, z: 0 } }));
      return paintFrame(buildMatch({ stand: still, ticks: 1000, bombPlaces }), [shot], buildOptions(), 40);
    };
    // The frame shows tick 320.
    const half = at([0, 90]);
    expect(changedPixels(at([0, 80], [324, 100]), half, buildOptions())).toBe(0);
    expect(changedPixels(at([0, 80], [328, 100]), at([0, 80]), buildOptions())).toBe(0);
    expect(changedPixels(at([312, 80], [320, 90], [328, 100]), half, buildOptions())).toBe(0);
    expect(changedPixels(at([0, 80]), half, buildOptions())).toBeGreaterThan(20);
  });
});
