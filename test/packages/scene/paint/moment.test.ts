import { expect, test } from 'vitest';
import { readLevels } from '#scene/match/levels.ts';
import { eventsAround, type Moment, onScreen, secondsSince, toScreen } from '#scene/paint/moment.ts';
import { buildMatch, buildOptions, buildShot } from '../../render-host/builders.ts';

const moment: Moment = {
  levels: readLevels(buildMatch()),
  ...{ match: buildMatch(), shot: buildShot(), tick: 128, round: null, options: buildOptions(), scale: 1 / 3 },
  ...{ view: { x: 100, y: 50, zoom: 0.5, isHeld: true }, players: [], visibility: [] },
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
