import { describe, expect, it } from 'vitest';
import { secondAt } from '#domain/plan/shot-time.ts';
import type { Round } from '#render-host/match/match.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch, buildOptions, buildShot } from '../../render-host/builders.ts';
import { changedPixels, paintFrame, type Region } from '../../render-host/frame-checks.ts';

/** Where the banner is, with and without the HUD above it. */
const BANNER: Region = { left: 0.25, top: 0.03, right: 0.75, bottom: 0.24 };
const options = buildOptions();
const decided: Round = {
  ...{ number: 1, startTick: 0, freezeEndTick: 0, endTick: 170, officialEndTick: 490 },
  ...{ winner: 'CT', reason: 'cts_won', score: { T: 0, CT: 1 } },
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
