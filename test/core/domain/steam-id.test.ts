import { expect, it } from 'vitest';
import { steam64Of } from '#domain/steam-id.ts';

/** The example in developer.valvesoftware.com/wiki/SteamID, and an account id of 32 bits. */
it.each([
  ['STEAM_0:0:11101', '76561197960287930'],
  ['STEAM_1:0:11101', '76561197960287930'],
  ['steam_1:1:19867136', '76561198000000001'],
  ['[U:1:22202]', '76561197960287930'],
  ['U:1:22202', '76561197960287930'],
  ['[U:1:4294967295]', '76561202255233023'],
  ['[U:1:4294967296]', null],
  ['STEAM_0:1:2147483648', null],
  ['aSTEAM_0:1:1', null],
  ['STEAM_0:2:1', null],
  ['STEAM_9:1:1', null],
  ['[G:1:4]', null],
  ['76561198000000001', null],
  ['STEAM_0:1:19867136 ', null],
])('the 64-bit id of %s is %s', (text, id) => {
  expect(steam64Of(text)).toBe(id);
});
