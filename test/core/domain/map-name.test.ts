import { expect, it } from 'vitest';
import { isWorkshopMap, mapName } from '#domain/map-name.ts';

it.each([
  ['de_dust2', 'Dust II'],
  ['de_nuke', 'Nuke'],
  ['cs_italy', 'Italy'],
  ['fort_de_x', 'Fort De X'],
  ['workshop/3070/de_old_town', 'Old Town'],
  ['ar_shoots', 'Shoots'],
  ['cache', 'Cache'],
  ['an unnamed map', 'An Unnamed Map'],
])('calls the map %j as %j', (map, name) => {
  expect(mapName(map)).toBe(name);
});

it.each([
  ['workshop/3070/de_old_town', true],
  ['maps/workshop/3070/de_old_town', true],
  ['de_workshop', false],
  ['de_mirage', false],
])('%s is of the workshop: %j', (map, expected) => {
  expect(isWorkshopMap(map)).toBe(expected);
});
