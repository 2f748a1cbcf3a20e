import { describe, expect, it } from 'vitest';
import type { Camera } from '#scene/camera/camera.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { createLabelLayout } from '#scene/paint/label-layout.ts';
import {
  buildHurt,
  buildKill,
  buildMatch,
  buildOptions,
  buildShot,
  type MatchPlan,
  type Stand,
} from '../../render-host/builders.ts';

/** One pixel a unit, and the world's origin in the picture's middle: places are pixels from there. */
const camera: Camera = {
  at: () => ({ x: 0, y: 0, zoom: 1, isHeld: true }),
  bounds: { minX: -960, minY: -540, maxX: 960, maxY: 540 },
};
const NAME = { width: 100, height: 30 };
const FULL = { width: 1920, height: 1080 };

type Places = readonly (readonly [x: number, y: number])[];

function layout(
  places: Places,
  options: Partial<CaptureOptions> = {},
  plan: MatchPlan = {},
  seen: (tick: number) => number = () => 1,
) {
  const stand = (player: number): Stand => {
    const [x, y] = places[player] ?? [0, 0];
    return { x, y, yaw: 0 };
  };
  const match = buildMatch({ players: places.map(() => ({})), stand, ...plan });
  const shot = buildShot({
    startTick: 0,
    endTick: 256,
    kills: plan.kills?.filter(({ attacker }) => attacker === 0) ?? [],
  });
  const visibility = places.map(() => ({ at: seen }));
  const all = { ...FULL, ...options };
  return createLabelLayout(
    match,
    shot,
    buildOptions(all),
    camera,
    visibility,
    places.map(() => NAME),
  );
}

/** Returns the rectangles of all names at a tick, in pixels from the middle of the picture, y down. */
function boxes(places: Places, tick: number, of = layout(places)) {
  return places.flatMap(([x, y], player) => {
    const label = of(player, tick);
    return label === null ? [] : [{ player, x: x + label.dx, y: -y + label.dy }];
  });
}

describe('the names of players', () => {
  it('are above their markers if there is room, without overlap', () => {
    const [only] = boxes([[0, 0]], 100);
    expect(only).toEqual({ player: 0, x: 0, y: -(34 + NAME.height / 2) });
    expect(layout([[0, 0]])(0, 100)?.alpha).toBe(1);
  });

  it('never overlap, and the player’s own gives way to nobody', () => {
    const crowd: Places = [
      [0, 0],
      [20, 10],
      [40, -10],
      [-30, 5],
      [10, 40],
      [70, 20],
    ];
    const shown = boxes(crowd, 100);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown[0]).toMatchObject({ player: 0 });
    for (const [i, a] of shown.entries())
      for (const b of shown.slice(i + 1))
        expect(Math.abs(a.x - b.x) >= NAME.width || Math.abs(a.y - b.y) >= NAME.height).toBe(true);
  });

  it('go to a side that covers no marker', () => {
    const [mine] = boxes(
      [
        [0, 0],
        [0, 50],
      ],
      100,
    );
    expect(mine?.y).toBeGreaterThan(0);
  });

  it('are left out of opponents whom nobody sees, but with x-ray', () => {
    expect(
      layout(
        [
          [0, 0],
          [300, 0],
        ],
        {},
        {},
        () => 0.2,
      )(1, 100),
    ).toBeNull();
    expect(
      layout(
        [
          [0, 0],
          [300, 0],
        ],
        { xray: true },
        {},
        () => 0.2,
      )(1, 100),
    ).not.toBeNull();
  });

  it('are left out if they would be visible for less than a third of a second', () => {
    const places: Places = [
      [0, 0],
      [300, 0],
    ];
    const shownFor = (ticks: number) =>
      layout(places, {}, {}, (tick) => (tick >= 100 && tick < 100 + ticks ? 1 : 0))(1, 104) !== null;
    expect([8, 16, 20, 40].map(shownFor)).toEqual([false, false, true, true]);
  });

  it('are left out of who is outside of the picture', () => {
    expect(
      layout([
        [0, 0],
        [1200, 0],
      ])(1, 100),
    ).toBeNull();
  });

  it('are within the picture', () => {
    const places = [-950, -300, 300, 950].flatMap((x) => [-520, 520].map((y) => [x, y] as const));
    const shown = boxes(places, 100, layout(places, { onlyDeathnotices: true }));
    expect(shown).toHaveLength(places.length);
    for (const { x, y } of shown) {
      expect(Math.abs(x) + NAME.width / 2).toBeLessThanOrEqual(960);
      expect(Math.abs(y) + NAME.height / 2).toBeLessThanOrEqual(540);
    }
  });

  it.each([1, -1] as const)('make room for damage numbers, which fly away from the attacker (%i)', (side) => {
    const places: Places = [
      [-400 * side, 0],
      [0, 0],
    ];
    const hurts = [buildHurt({ tick: 128, attacker: 0, victim: 1 })];
    const kills = [buildKill({ tick: 250, attacker: 0, victim: 1 })];
    const free = layout(places, { damageTicker: false }, { hurts, kills });
    const ticking = layout(places, { damageTicker: true }, { hurts, kills });
    expect(ticking(1, 40)).toEqual(free(1, 40));
    const label = ticking(1, 140);
    expect(label?.dx).toBe(-side * (25 + NAME.width / 2));
    expect(label?.dy).toBe(0);
    expect(free(1, 140)).toEqual(free(1, 40));
  });
});
