import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { PanelBox } from '#scene/drawing/theme.ts';
import { createCallouts } from '#scene/map/plates.ts';
import { readLevels } from '#scene/match/levels.ts';
import type { Moment } from '#scene/paint/moment.ts';
import { createCalloutSprites, paintCallouts } from '#scene/paint/paint-cones.ts';
import { buildMatch, buildOptions, buildShot, type MatchPlan } from '../../render-host/builders.ts';
import { changedPixels, paintFrame } from '../../render-host/frame-checks.ts';

const still: MatchPlan['stand'] = (player) => ({ x: (player % 5) * 130 - 200, y: player * 20, yaw: 0 });
const outfit = { armor: 0, helmet: false, kit: false, money: 0, weapon: null, items: [] };
const options = buildOptions();
const frame = (plan: MatchPlan, tick = 128) =>
  paintFrame(buildMatch({ stand: still, ...plan }), [buildShot()], options, ((tick - 64) / 64) * 10);
const empty = new Map<number, Uint8Array>();
const emptyAt = (tick: number): Uint8Array => {
  const seen = empty.get(tick) ?? frame({}, tick);
  empty.set(tick, seen);
  return seen;
};
const differs = (plan: MatchPlan, tick = 128) => changedPixels(emptyAt(tick), frame(plan, tick), options);

describe('utility', () => {
  it('shows a grenade while it flies, and not before', () => {
    const path = [0, 1, 2, 3, 4].map((i) => ({ tick: 120 + i * 4, x: -100 + i * 60, y: -60, z: 0 }));
    const flights = [{ kind: 'flashbang' as const, player: 0, path }];
    expect(differs({ flights }, 128)).toBeGreaterThan(60);
    expect(differs({ flights }, 96)).toBe(0);
    expect(differs({ flights }, 192)).toBe(0);
  });

  it('shows a fire where it burns, flame by flame', () => {
    const flame = (x: number, startTick: number, endTick: number) => ({ x, y: -60, startTick, endTick });
    const fire = { kind: 'fire', startTick: 100, endTick: 200, x: 0, y: -60, z: 0 } as const;
    const burnt = (flames: readonly ReturnType<typeof flame>[], tick = 128) =>
      differs({ effects: [{ ...fire, flames }] }, tick);
    const one = burnt([flame(0, 100, 200)]);
    expect(one).toBeGreaterThan(300);
    expect(burnt([flame(0, 100, 200), flame(250, 100, 200)])).toBeGreaterThan(one * 1.7);
    expect(burnt([flame(0, 100, 200), flame(250, 140, 200)])).toBe(one);
    expect(burnt([flame(0, 100, 120)])).toBe(0);
    // Without its flames it is round.
    expect(differs({ effects: [fire] })).toBeGreaterThan(one * 2);
  });

  it('shows a decoy, and nothing of what was thrown before the round', () => {
    const decoy = { kind: 'decoy', startTick: 100, endTick: 200, x: 0, y: -60, z: 0 } as const;
    expect(differs({ effects: [decoy] })).toBeGreaterThan(60);
    const path = [0, 1, 2, 3, 4].map((i) => ({ tick: 120 + i * 4, x: -100 + i * 60, y: -60, z: 0 }));
    const old = {
      flights: [{ kind: 'flashbang' as const, player: 0, path }],
      blindings: [{ tick: 120, player: 0, by: 5, seconds: 3 }],
    };
    const rounds = [0, 126].map((startTick, i) => ({
      number: i + 1,
      startTick,
      freezeEndTick: startTick,
      endTick: null,
      officialEndTick: null,
      winner: null,
      reason: null,
      score: null,
    }));
    expect(differs({ ...old, rounds: rounds.slice(0, 1) })).toBeGreaterThan(100);
    expect(differs({ ...old, rounds })).toBe(differs({ rounds }));
  });

  it('shows who is blind, for as long as they are', () => {
    const blindings = [{ tick: 120, player: 0, by: 5, seconds: 1 }];
    expect(differs({ blindings }, 128)).toBeGreaterThan(60);
    expect(differs({ blindings }, 192)).toBe(0);
  });
});

describe('callouts', () => {
  const outfits = [
    { tick: 0, player: 0, place: 'LongHall', ...outfit },
    { tick: 0, player: 3, place: 'BombsiteA', ...outfit },
  ];

  it('are in the middle of where players walked in a place', () => {
    const stand: MatchPlan['stand'] = (player, tick) => ({ x: player * 1000 + tick, y: 50, yaw: 0 });
    const callouts = createCallouts(buildMatch({ outfits, stand, ticks: 321 }));
    expect(callouts).toEqual([
      { name: 'Long Hall', x: 160, y: 50, z: 0 },
      { name: 'Bombsite A', x: 3160, y: 50, z: 0 },
    ]);
  });

  it('are visible without players, and hidden next to one', () => {
    const walked: MatchPlan['stand'] = (player, tick) =>
      player === 3
        ? { x: tick < 110 || tick > 150 ? 300 : 1500, y: -160, yaw: 0 }
        : { x: -150, y: player * 40, yaw: 0 };
    const named = (place: string) => frame({ stand: walked, outfits: [{ tick: 0, player: 3, place, ...outfit }] }, 128);
    expect(changedPixels(named(''), named('BombsiteA'), options)).toBeGreaterThan(100);
    const there: MatchPlan['stand'] = (player) => ({ x: player === 3 ? 200 : -150, y: player * 40, yaw: 0 });
    const stood = (place: string) => frame({ stand: there, outfits: [{ tick: 0, player: 3, place, ...outfit }] }, 128);
    expect(changedPixels(stood(''), stood('BombsiteA'), options)).toBe(0);
    const fallen = (place: string) => {
      const stand: MatchPlan['stand'] = (player, tick) => ({
        ...there(player, tick),
        alive: player !== 3 || tick < 100,
      });
      return frame({ stand, outfits: [{ tick: 0, player: 3, place, ...outfit }] }, 128);
    };
    expect(changedPixels(fallen(''), fallen('BombsiteA'), options)).toBe(0);
  });

  it('are hidden under a panel of the HUD', () => {
    const shownUnder = (panels: readonly PanelBox[]): boolean => {
      const canvas = createCanvas(options.width, options.height);
      const match = buildMatch();
      const moment: Moment = {
        match,
        shot: buildShot(),
        options,
        tick: 128,
        round: null,
        scale: options.height / 1080,
        levels: readLevels(match),
        players: [],
        visibility: [],
        view: { x: 0, y: 0, zoom: 1, isHeld: true },
      };
      const callouts = createCalloutSprites([{ name: 'Market', x: 0, y: 0, z: 0 }], moment.scale);
      paintCallouts(canvas.getContext('2d'), moment, callouts, panels);
      return canvas.data().some((value) => value > 0);
    };
    const [x, y] = [options.width / 2, options.height / 2];
    expect(shownUnder([])).toBe(true);
    expect(shownUnder([{ x: x + 200, y, width: 40, height: 20 }])).toBe(true);
    expect(shownUnder([{ x, y: y - 10, width: 40, height: 20 }])).toBe(false);
  });
});
