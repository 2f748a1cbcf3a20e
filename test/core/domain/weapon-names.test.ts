import { expect, test } from 'vitest';
import { weaponName } from '#domain/weapon-names.ts';

test.each([
  ['m4a1', 'M4A4'],
  ['m4a1_silencer', 'M4A1-S'],
  ['m4a1_silencer_off', 'M4A1-S'],
  ['knife_karambit', 'Knife'],
  ['bayonet', 'Knife'],
  ['planted_c4', 'C4'],
  ['new_gun', 'NEW GUN'],
])('people call %s %s', (weapon, name) => {
  expect(weaponName(weapon)).toBe(name);
});
