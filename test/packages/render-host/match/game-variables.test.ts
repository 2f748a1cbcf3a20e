import { expect, test } from 'vitest';
import { createGameVariables } from '#render-host/match/game-events.ts';
import { readComposed } from './composed-demo.ts';

const ROUNDS = [{ startTick: 10, freezeEndTick: 74, endTick: 600, winner: 'T' as const }];

test.each<[string, string, Record<string, string>, number]>([
  ['the usual one', 'de_mirage', {}, 115],
  ['wingman', 'de_inferno', { mp_roundtime: '1.5', mp_roundtime_defuse: '1.5' }, 90],
  ['casual', 'de_dust2', { mp_roundtime_defuse: '2.25', mp_roundtime_hostage: '2' }, 135],
  ['a hostage map', 'cs_office', { mp_roundtime_defuse: '2.25', mp_roundtime_hostage: '2' }, 120],
  ['a deathmatch on a hostage map', 'cs_italy', { mp_roundtime: '10' }, 600],
  ['a server that switched its own time off', 'de_mirage', { mp_roundtime: '5', mp_roundtime_defuse: '0' }, 300],
  ['nonsense', 'de_mirage', { mp_roundtime: '-3' }, 115],
])('the clock of %s, without game rules', async (_name, map, conVars, seconds) => {
  const { clocks } = await readComposed({ map, rounds: ROUNDS, lastTick: 700 }, { conVars, lacks: ['rules'] });
  expect(clocks).toEqual([{ tick: 10, startTick: null, seconds }]);
});

test('a demo that says nothing has the usual clock, and no length of the match', () => {
  const variables = createGameVariables();
  expect(variables.roundSeconds('de_mirage', 0)).toBe(115);
  expect(variables.matchRounds()).toBeNull();
});

test('a variable has its value from the tick of its change on', () => {
  const variables = createGameVariables();
  variables.note(-1, 'mp_c4timer', '35');
  variables.note(900, 'mp_c4timer', '45');
  variables.note(950, 'mp_c4timer', 'soon');
  variables.note(960, 'sv_unknown', '1');
  expect([0, 899, 900, 5000].map((tick) => variables.at('mp_c4timer', tick))).toEqual([35, 35, 45, 45]);
  expect(variables.at('sv_unknown', 1000)).toBeNull();
});

test.each<[Record<string, string>, object | undefined]>([
  [{ mp_maxrounds: '24' }, { regular: 24, overtime: 0 }],
  [
    { mp_maxrounds: '16', mp_overtime_enable: 'true' },
    { regular: 16, overtime: 6 },
  ],
  [
    { mp_maxrounds: '30', mp_overtime_enable: '1', mp_overtime_maxrounds: '10' },
    { regular: 30, overtime: 10 },
  ],
  [{ mp_maxrounds: '0' }, undefined],
])('%j says how many rounds a match has', async (conVars, expected) => {
  expect((await readComposed({ rounds: ROUNDS, lastTick: 700 }, { conVars })).matchRounds).toEqual(expected);
});
