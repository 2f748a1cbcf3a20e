import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { describe, expect, it, vi } from 'vitest';
import type { Match } from '#render-host/match/match.ts';
import { createCamera } from '#scene/camera/camera.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildHurt, buildKill, buildMatch, buildOptions, buildShot } from '../../render-host/builders.ts';
import {
  changedPixels,
  OWN_PANEL,
  paintFrame,
  type Region,
  TEAM_T,
  TOP_MIDDLE,
  TOP_RIGHT,
} from '../../render-host/frame-checks.ts';

const options = buildOptions({ width: 854, height: 480, onlyDeathnotices: false, damageTicker: true });

/** Between the name and the armour of the point-of-view player's panel. */
const CROSSHAIR: Region = { left: 0.178, right: 0.211, top: 0.88, bottom: 0.94 };

/** Returns each text of a frame and the least size of its letters in pixels. */
function textsOf(match: Match, shots: readonly Shot[], index: number): Map<string, number> {
  const sizes = new Map<string, number>();
  const context: SKRSContext2D = Object.getPrototypeOf(createCanvas(1, 1).getContext('2d'));
  const { fillText } = context;
  const spy = vi.spyOn(context, 'fillText').mockImplementation(function (this: SKRSContext2D, ...args) {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1]) * this.getTransform().a;
    sizes.set(args[0], Math.min(size, sizes.get(args[0]) ?? size));
    fillText.apply(this, args);
  });
  paintFrame(match, shots, options, index);
  spy.mockRestore();
  return sizes;
}

/** How bright a region is on average, 0 to 255. */
function meanGreen(frame: Uint8Array, { width, height }: CaptureOptions, region: Region): number {
  let [sum, count] = [0, 0];
  for (let y = Math.floor(region.top * height); y < region.bottom * height; y++) {
    for (let x = Math.floor(region.left * width); x < region.right * width; x++, count++) {
      sum += frame[(y * width + x) * 4 + 1] ?? 0;
    }
  }
  return sum / count;
}

describe('the HUD', () => {
  const carried = { armor: 100, helmet: true, kit: true, weapon: 'ak47', items: ['ak47'] };
  const outfits = [0, 5].map((player) => ({ tick: 0, player, place: 'Market', money: 800 + player, ...carried }));
  const cloud = { kind: 'smoke', startTick: 100, endTick: 1000, x: 0, y: 300, z: 0 } as const;
  const otherKill = buildKill({ tick: 150, attacker: 1, victim: 6 });
  const bomb = { kind: 'bomb', startTick: 70, endTick: 2630, x: 0, y: -200, z: 0 } as const;

  it('has letters of 9.3 pixels at least where a phone shows 480 lines', () => {
    const kill = buildKill({ tick: 160, headshot: true });
    const match = buildMatch({
      kills: [otherKill, kill],
      hurts: [buildHurt({ tick: 146 })],
      outfits,
      effects: [bomb, cloud],
      bombActions: [{ tick: 140, kind: 'defuse_begun', player: 0 }],
    });
    const sizes = textsOf(match, [buildShot({ kills: [kill] })], 14);
    const shown = ['Player 0', 'Player 6', '100', '$800', 'AK-47 HEADSHOT', '0:39', '27', '14', 'MARKET', 'DEFUSING'];
    expect(shown.filter((text) => !sizes.has(text))).toEqual([]);
    expect([...sizes].filter(([, size]) => size < 9.3)).toEqual([]);
  });

  it('counts the killer’s damage and kills in the victim’s view, under the victim’s name', () => {
    const kill = buildKill({ tick: 160, headshot: true });
    const match = buildMatch({ kills: [kill], hurts: [buildHurt({ tick: 146 })], outfits });
    const shown = textsOf(match, [buildShot({ pov: 5, subject: 0, kills: [kill] })], 14);
    expect(['AK-47 HEADSHOT', '27', 'Player 5'].filter((text) => !shown.has(text))).toEqual([]);
  });

  it('shows the clock of the rules, in the freeze time the rest of it, and none if the recording lacks it', () => {
    const match = buildMatch();
    const [round] = match.rounds;
    if (round === undefined) return expect.unreachable();
    const rounds = [{ ...round, freezeEndTick: null }];
    const [clock] = [{ tick: 0, startTick: 64, seconds: 600 }];
    const shown = (change: Partial<Match>) =>
      [...textsOf({ ...match, ...change }, [buildShot()], 10).keys()].filter((text) => text.includes(':'));
    expect(shown({})).toEqual(['1:53']);
    expect(shown({ rounds, clocks: [clock] })).toEqual(['9:59']);
    expect(shown({ rounds, clocks: [{ ...clock, startTick: 64 * 5 }] })).toEqual(['0:03']);
    expect(shown({ rounds, clocks: [clock, { tick: 100, startTick: 64, seconds: 660 }] })).toEqual(['10:59']);
    expect(shown({ rounds, clocks: [{ ...clock, startTick: null }] })).toEqual([]);
    expect(shown({ clocks: [] })).toEqual([]);
    expect(shown({ rounds: [], clocks: [clock] })).toEqual([]);
  });

  it('names the point-of-view player once, and shows no money that is unknown', () => {
    const named = (name: string) =>
      paintFrame(
        buildMatch({ players: Array.from({ length: 10 }, (_, i) => (i === 0 ? { name } : {})) }),
        [buildShot()],
        options,
        10,
      );
    const [one, other] = [named('Anna'), named('Boris')];
    const inPanel = changedPixels(one, other, options, OWN_PANEL);
    expect(inPanel).toBeGreaterThan(50);
    expect(changedPixels(one, other, options)).toBe(inPanel);
    const money = (of: Match['outfits']) =>
      [...textsOf(buildMatch({ outfits: of }), [buildShot()], 10).keys()].filter((text) => text.startsWith('$'));
    expect(money(outfits)).toEqual(['$805', '$800']);
    expect(money(outfits.map((outfit) => ({ ...outfit, money: null })))).toEqual([]);
  });

  it('shows the crosshair of the point-of-view player in their panel, whatever its size', () => {
    const crosshair = {
      color: '#32fafa',
      alpha: 1,
      length: 50,
      thickness: 2,
      gap: 3,
      outline: 1,
      dot: true,
      isT: false,
    };
    const of = (change: Partial<typeof crosshair> | null): Uint8Array => {
      const player = change === null ? {} : { crosshair: { ...crosshair, ...change } };
      return paintFrame(buildMatch({ players: Array.from({ length: 10 }, () => player) }), [buildShot()], options, 10);
    };
    const none = of(null);
    for (const change of [{ length: 4 }, {}, { length: 0, gap: -20, thickness: 30 }]) {
      const shown = changedPixels(none, of(change), options, CROSSHAIR);
      expect(shown).toBeGreaterThan(20);
      expect(changedPixels(none, of(change), options)).toBe(shown);
    }
    expect(changedPixels(of({}), of({ isT: true }), options)).toBeGreaterThan(10);
    expect(changedPixels(of({}), of({ dot: false }), options)).toBeGreaterThan(0);
  });

  it('leaves its scoreboard uncovered however long the names in the killfeed are', () => {
    const marks = { headshot: true, wallbang: true, throughSmoke: true, noScope: true, attackerBlind: true };
    const kills = [{ ...otherKill, ...marks, assister: 2, flashAssist: true as const }];
    // Nobody's name is near the top of the map.
    const stand = (player: number) => ({ x: player * 60 - 300, y: -player * 20, yaw: -90 });
    const named = (name: string): Uint8Array => {
      const players = Array.from({ length: 10 }, () => ({ name }));
      return paintFrame(buildMatch({ kills, players, stand }), [buildShot()], options, 22);
    };
    const [short, long] = [named('i'), named('W'.repeat(40))];
    expect(changedPixels(short, long, options, { ...TOP_RIGHT, bottom: 0.2 })).toBeGreaterThan(500);
    expect(changedPixels(short, long, options, { ...TOP_MIDDLE, bottom: 0.076 })).toBe(0);
  });

  it('leaves its team lists uncovered however many kills there are', () => {
    const kills = Array.from({ length: 8 }, (_, i) => buildKill({ tick: 150 + i, attacker: 1, victim: 6 + (i % 2) }));
    const shots = [buildShot()];
    // Nobody walks, so that the floor is the same without those who die.
    const stand = (player: number) => ({ x: player * 60, y: 0, yaw: 0 });
    const [none, many] = [[], kills].map((feed) => paintFrame(buildMatch({ kills: feed, stand }), shots, options, 22));
    const list: Region = { ...TEAM_T, top: 0.314, bottom: 0.34 };
    expect(changedPixels(none ?? new Uint8Array(), many ?? new Uint8Array(), options, list)).toBe(0);
  });

  it('lets no more of a smoke through the row of a fallen player than of a living one', () => {
    const [shot, index] = [buildShot(), 22];
    const tick = shot.startTick + (index / options.fps) * 64;
    const row: Region = { left: 0.88, right: 0.93, top: 0.385, bottom: 0.41 };
    const brightness = (isFallen: boolean, hasSmoke: boolean): number => {
      const plain = buildMatch({ kills: isFallen ? [otherKill] : [] });
      const { x, y, zoom } = createCamera(plain, shot, options.width, options.height).at(tick);
      const at = { x: x + (0.405 * options.width) / zoom, y: y + (0.103 * options.height) / zoom, z: 0 };
      const effects = hasSmoke ? [{ ...cloud, ...at }] : [];
      return meanGreen(paintFrame({ ...plain, effects }, [shot], options, index), options, row);
    };
    const through = (isFallen: boolean) => brightness(isFallen, true) - brightness(isFallen, false);
    expect(through(false)).toBeGreaterThan(3);
    expect(through(true) - through(false)).toBeLessThan(3);
  });
});
