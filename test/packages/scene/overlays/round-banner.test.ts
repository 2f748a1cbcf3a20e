import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { secondAt } from '#domain/clip/plan/shot-time.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { Round } from '#render-host/match/match.ts';
import type { PanelBox } from '#scene/drawing/theme.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { createTitleCards, killsLabel } from '#scene/overlays/title-card.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch, buildOptions, buildShot } from '../../render-host/builders.ts';
import { changedPixels, paintFrame, type Region } from '../../render-host/frame-checks.ts';

/** Where the banner is, with and without the HUD above it. */
const BANNER: Region = { left: 0.25, top: 0.03, right: 0.75, bottom: 0.24 };
const options = buildOptions();
const decided: Round = {
  number: 1,
  startTick: 0,
  freezeEndTick: 0,
  endTick: 170,
  officialEndTick: 490,
  winner: 'CT',
  reason: 'cts_won',
  score: { T: 0, CT: 1 },
};
const shot = buildShot({ startTick: 64, endTick: 448, kills: [buildKill({ tick: 168 })] });

/** Pixels by which the picture of a tick differs from the same match without a winner. */
async function bannerAt(
  tick: number,
  round: Partial<Round> = {},
  change: Partial<CaptureOptions> = {},
  on: Shot = shot,
) {
  const frame = (rounds: readonly Round[]) => {
    const match = buildMatch({ ticks: 600, kills: [buildKill({ tick: 168 })], rounds });
    const index = Math.round(secondAt(on, tick, 64) * options.fps);
    return paintFrame(match, [on], { ...options, ...change }, index);
  };
  const [plain, announced] = await Promise.all([
    frame([{ ...decided, winner: null, score: { T: 0, CT: 0 } }]),
    frame([{ ...decided, ...round }]),
  ]);
  const inside = changedPixels(plain, announced, options, BANNER);
  expect(changedPixels(plain, announced, options)).toBe(inside);
  return inside;
}

describe('the announcement of who won the round', () => {
  it.each([true, false])(
    'is up from the end of the round to the end of the shot, deathnotices only: %s',
    async (only) => {
      const change = { onlyDeathnotices: only };
      expect(await bannerAt(166, {}, change)).toBe(0);
      expect(await bannerAt(190, {}, change)).toBe(0);
      expect(await bannerAt(260, {}, change)).toBeGreaterThan(5000);
      expect(await bannerAt(400, {}, change)).toBeGreaterThan(5000);
      expect(await bannerAt(441, {}, change)).toBeLessThan(await bannerAt(400, {}, change));
    },
  );

  it('goes when the game takes it down', async () => {
    expect(await bannerAt(330, { officialEndTick: 320 })).toBe(0);
  });

  it('is left out where the shot ends too soon to read it', async () => {
    const short = buildShot({ startTick: 64, endTick: 230, kills: [] });
    expect(await bannerAt(226, {}, {}, short)).toBe(0);
    const slow = { ...short, speeds: [{ tick: 0, speed: 0.5 }] };
    expect(await bannerAt(215, {}, {}, slow)).toBeGreaterThan(5000);
    const fast = { ...shot, speeds: [{ tick: 0, speed: 4 }] };
    expect(await bannerAt(400, {}, {}, fast)).toBe(0);
  });

  it('names the winner, and the score if it is known', async () => {
    const frame = async (winner: 'T' | 'CT', score: Round['score']) => {
      const match = buildMatch({ ticks: 600, rounds: [{ ...decided, winner, score }] });
      return paintFrame(match, [shot], options, 45);
    };
    const known = await frame('CT', decided.score);
    expect(changedPixels(known, await frame('T', decided.score), options, BANNER)).toBeGreaterThan(2000);
    expect(changedPixels(known, await frame('CT', null), options, BANNER)).toBeGreaterThan(50);
  });
});

useHostCanvas();

describe('labels of kills', () => {
  it('count over the whole clip', () => {
    const shots = [buildShot({ kills: [buildKill()] }), buildShot({ kills: [buildKill(), buildKill()] }), buildShot()];
    expect(shots.map((_, index) => killsLabel(shots, index))).toEqual(['KILL 1 OF 3', 'KILLS 2–3 OF 3', null]);
  });

  it('say how many there are where one shot has them all', () => {
    const kills = [buildKill(), buildKill(), buildKill()];
    expect(killsLabel([buildShot({ kills }), buildShot()], 0)).toBe('3 KILLS');
  });

  it('count a kill that is shown twice once', () => {
    const [first, second, third, fourth] = [1, 2, 3, 4].map((tick) => buildKill({ tick }));
    const labelsOf = (...kills: (typeof first)[][]) => {
      const shots = kills.map((shown) => buildShot({ kills: shown.filter((kill) => kill !== undefined) }));
      return shots.map((_, index) => killsLabel(shots, index));
    };
    expect(labelsOf([first], [], [first])).toEqual(['AK-47 KILL', null, 'AK-47 KILL']);
    expect(labelsOf([first, second], [second, third])).toEqual(['KILLS 1–2 OF 3', 'KILLS 2–3 OF 3']);
    expect(labelsOf([first], [second], [fourth], [first, fourth])).toEqual([
      ...['KILL 1 OF 3', 'KILL 2 OF 3', 'KILL 3 OF 3'],
      '2 OF 3 KILLS',
    ]);
    expect(labelsOf([first, second], [first, second])).toEqual(['2 KILLS', '2 KILLS']);
  });

  it('name the weapon where there is one kill only', () => {
    const kill = buildKill({ weapon: 'awp', headshot: true });
    expect(killsLabel([buildShot(), buildShot({ kills: [kill] })], 1)).toBe('AWP HEADSHOT');
  });
});

describe('title cards', () => {
  it('are as wide as their text, in a panel above that of the player', () => {
    const scale = 0.5;
    const widths = ['de_mirage', 'workshop_map_with_a_long_name', 'm'.repeat(300)].map((map) => {
      const canvas = createCanvas(960, 540);
      const paintTitle = createTitleCards(buildMatch({ map }), [buildShot()], { height: 540, scale });
      let panel: PanelBox | null = null;
      paintTitle(canvas.getContext('2d'), 0, 1, 4, (box) => {
        panel = box;
        return 1;
      });
      const { x, y, width, height } = panel ?? expect.unreachable();
      const painted = canvas.data();
      for (let i = 3; i < painted.length; i += 4) {
        const at = { x: ((i - 3) / 4) % 960, y: Math.floor((i - 3) / 4 / 960) };
        const isInside = at.x >= x && at.x < x + width && at.y >= Math.round(y) && at.y < Math.round(y) + height;
        if (painted[i] !== 0) expect(isInside).toBe(true);
      }
      expect(y + height).toBeLessThan((1080 - 126) * scale);
      return width / scale;
    });
    expect(widths[0]).toBeLessThan(350);
    expect(widths[1]).toBeGreaterThan(400);
    expect(widths[2]).toBeLessThan(560);
  });
});
