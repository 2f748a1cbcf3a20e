import { describe, expect, it, test } from 'vitest';
import { createCamera } from '#scene/camera/camera.ts';
import { readLevels } from '#scene/match/levels.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { eventsAround, type Moment, onScreen, secondsSince, toScreen } from '#scene/paint/moment.ts';
import { panelOpacity, playerPanels, scoreboardBox } from '#scene/paint/panels.ts';
import { buildKill, buildMatch, buildOptions, buildShot, type Stand } from '../../render-host/builders.ts';

const options = buildOptions({ width: 1920, height: 1080, onlyDeathnotices: false });
/** The marker of the point-of-view player with their health around it; and five rows of a killfeed, at any width. */
const MARKER = 26;
const FEED = { x: 0, y: 90, width: 1920, height: 238 };

/** A fight over any distance in any direction, in which both walk. */
function fight(seed: number): (player: number, tick: number) => Stand {
  const angle = seed * 2.4;
  const away = 150 + ((seed * 397) % 3000);
  return (player, tick) => {
    const side = player < 5 ? -0.5 : 0.5;
    const walk = 130 * Math.sin(tick / 40 + player * 1.7 + seed);
    const [x, y] = [Math.cos(angle) * away * side, Math.sin(angle) * away * side];
    return { x: x + walk + (player % 5) * 190 * side, y: y + walk * 0.7 - (player % 5) * 140, yaw: seed * 50 + tick };
  };
}

/** Moments of sixty shots of two kills, one each tenth of a second. */
const moments = Array.from({ length: 60 }, (_, seed) => {
  const kills = [240, 380].map((tick, i) => buildKill({ tick: tick + seed, victim: 5 + i }));
  const match = buildMatch({ ticks: 640, kills, stand: fight(seed) });
  const shot = buildShot({ startTick: 64, endTick: 560, kills });
  const camera = createCamera(match, shot, options.width, options.height, kills.at(-1));
  return Array.from({ length: 77 }, (_, i): Moment => {
    const tick = 64 + i * 6.4;
    const players = match.players.map((_, player) => playerAt(match, player, tick));
    const visibility = match.players.map((_, player) => (player + seed) % 2);
    const still = { levels: readLevels(match), round: null, scale: 1, options, match, shot };
    return { ...still, tick, players, visibility, view: camera.at(tick) };
  });
}).flat();

const panelsOf = ({ players, shot }: Moment) => [
  scoreboardBox(players, options),
  ...playerPanels(players, shot.pov, options),
];

describe('the panels of the HUD', () => {
  it('overlap neither each other nor the edge of the picture, however many players there are', () => {
    for (const count of [2, 9, 10, 12, 16]) {
      const match = buildMatch({ players: Array.from({ length: count }, () => ({})) });
      const players = match.players.map((_, player) => playerAt(match, player, 10));
      const panels = [FEED, scoreboardBox(players, options), ...playerPanels(players, 0, options)];
      for (const [i, a] of panels.entries()) {
        expect(Math.min(a.x, a.y, 1920 - a.x - a.width, 1080 - a.y - a.height)).toBeGreaterThanOrEqual(0);
        for (const b of panels.slice(i + 1)) {
          const [across, down] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
          const isApart =
            across >= Math.min(a.x + a.width, b.x + b.width) || down >= Math.min(a.y + a.height, b.y + b.height);
          expect(isApart).toBe(true);
        }
      }
    }
  });

  it('are clear of the point-of-view player, and so is a killfeed of five rows', () => {
    for (const moment of moments) {
      const pov = moment.players[moment.shot.pov];
      if (pov?.alive !== true) return expect.unreachable();
      const at = toScreen(moment, pov);
      for (const { x, y, width, height } of [FEED, ...panelsOf(moment)]) {
        const away = Math.hypot(Math.max(x - at.x, at.x - x - width, 0), Math.max(y - at.y, at.y - y - height, 0));
        expect(away).toBeGreaterThan(MARKER);
      }
    }
  });

  it('are transparent over each living player whom the clip shows, and opaque over others', () => {
    let [over, beside] = [0, 0];
    for (const moment of moments) {
      for (const panel of panelsOf(moment)) {
        const isUnder = moment.players.map((state) => {
          if (state?.alive !== true) return false;
          const { x, y } = toScreen(moment, state);
          return x > panel.x && x < panel.x + panel.width && y > panel.y && y < panel.y + panel.height;
        });
        const opacity = panelOpacity(moment, panel);
        if (isUnder.some((under, player) => under && moment.visibility[player] === 1)) {
          expect(opacity).toBeLessThan(0.31);
          over++;
        }
        if (opacity === 1) beside++;
        if (isUnder.includes(true))
          expect(panelOpacity({ ...moment, options: { ...options, xray: true } }, panel)).toBeLessThan(0.31);
        const unseen = { ...moment, visibility: moment.visibility.map(() => 0) };
        expect(panelOpacity(unseen, panel)).toBe(1);
      }
    }
    expect(Math.min(over, beside)).toBeGreaterThan(50);
  });
});

const moment: Moment = {
  levels: readLevels(buildMatch()),
  match: buildMatch(),
  shot: buildShot(),
  tick: 128,
  round: null,
  options: buildOptions(),
  scale: 1 / 3,
  view: { x: 100, y: 50, zoom: 0.5, isHeld: true },
  players: [],
  visibility: [],
};

test('the view’s centre is the picture’s, north is up, and a unit is as many pixels as the zoom says', () => {
  expect(toScreen(moment, { x: 100, y: 50 })).toEqual({ x: 320, y: 180 });
  expect(toScreen(moment, { x: 120, y: 90 })).toEqual({ x: 330, y: 160 });
});

test('a point is on the screen up to a margin around it', () => {
  expect([-1, 0.5, 639.5, 640].map((x) => onScreen(moment, { x, y: 10 }, 0))).toEqual([false, true, true, false]);
  expect([-9, 649, 650].map((x) => onScreen(moment, { x, y: 10 }, 10))).toEqual([true, true, false]);
  expect([-9, 369, 370].map((y) => onScreen(moment, { x: 5, y }, 10))).toEqual([true, true, false]);
});

test('the events around a moment are those of the last seconds, its own tick, and those that are soon to come', () => {
  const events = [10, 64, 127, 128, 129, 160, 161].map((tick) => ({ tick }));
  const ticks = (seconds: number, ahead?: number) =>
    eventsAround(moment, events, seconds, ahead).map(({ tick }) => tick);
  expect(ticks(1)).toEqual([64, 127, 128]);
  expect(ticks(0)).toEqual([128]);
  expect(ticks(0, 0.5)).toEqual([128, 129, 160]);
  expect(secondsSince(moment, 64)).toBe(1);
  expect(secondsSince(moment, 160)).toBe(-0.5);
});
