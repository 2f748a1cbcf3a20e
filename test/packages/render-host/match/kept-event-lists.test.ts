import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGameVariables, createKeptEventLists, type EventList } from '#render-host/match/game-events.ts';
import type { Match } from '#render-host/match/match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { composedDemo, readComposed, testFolder } from './real-demos.ts';

const OUTLINE = {
  rounds: [{ startTick: 10, endTick: 600, winner: 'T' as const }],
  kills: [{ tick: 400, attacker: 0, victim: 5 }],
};
const LIST: EventList = [{ id: 7, name: 'player_death', fields: ['userid', 'attacker'] }];

async function setUp() {
  const folder = await testFolder();
  const eventLists = createKeptEventLists(folder);
  const parse = async (account: string | null, eventList: boolean) => {
    const demoPath = await composedDemo(OUTLINE, { eventList });
    const signal = new AbortController().signal;
    return parseDemo({ demoPath, workDir: await testFolder(), signal, eventLists, account });
  };
  return { folder, eventLists, parse };
}

const killsOf = (result: { ok: true; match: Match } | { ok: false }): unknown =>
  result.ok ? result.match.kills.map(({ tick, victim }) => [tick, victim]) : null;

test('a demo without its list of events is read with that of its account’s demos of the same build', {
  tags: ['long'],
}, async () => {
  const { parse } = await setUp();
  expect(await parse('a', false)).toMatchObject({
    ok: false,
    code: 'demo_failed_parse',
    detail: expect.stringMatching(/no list of game events, and none of build \d+ is known here yet/),
  });
  const whole = await parse('a', true);
  const lacking = await parse('a', false);
  expect(killsOf(lacking)).toEqual([[400, 5]]);
  expect(lacking).toMatchObject({ ok: true, match: { kills: whole.ok ? whole.match.kills : [] } });
});

test('another account’s demo is read with it once demos of two accounts have it', { tags: ['long'] }, async () => {
  const { parse } = await setUp();
  await parse('a', true);
  expect((await parse('c', false)).ok).toBe(false);
  expect((await parse(null, false)).ok).toBe(false);
  await parse(null, true);
  expect((await parse('c', false)).ok).toBe(false);
  await parse('b', true);
  expect(killsOf(await parse('c', false))).toEqual([[400, 5]]);
  expect(killsOf(await parse(null, false))).toEqual([[400, 5]]);
});

test('a list that one account made up is used for nobody else', async () => {
  const { eventLists } = await setUp();
  await eventLists.add('1', 'good', LIST);
  await eventLists.add('1', 'better', LIST);
  await eventLists.add('1', 'bad', [{ id: 8, name: 'player_death', fields: [] }]);
  expect(await eventLists.known('other')).toEqual({ 1: LIST });
  expect(await eventLists.known('bad')).toEqual({ 1: [{ id: 8, name: 'player_death', fields: [] }] });
});

test('what is kept has limits, and damage loses only what was kept', { tags: ['long'] }, async () => {
  const { folder, eventLists } = await setUp();
  for (let build = 0; build < 40; build++) await eventLists.add(`b${build}`, 'a', LIST);
  expect(Object.keys(await eventLists.known('a'))).toEqual(Array.from({ length: 32 }, (_, at) => `b${at + 8}`));
  for (let id = 0; id < 20; id++) await eventLists.add('b39', `x${id}`, [{ id, name: 'x', fields: [] }]);
  const [file = ''] = await readdir(folder);
  expect(JSON.parse(await readFile(join(folder, file), 'utf8')).b39).toHaveLength(8);
  await eventLists.add('b39', 'a', [{ id: 1, name: 'x'.repeat(100), fields: [] }]);
  await writeFile(join(folder, file), '{"b39":[{"list":7}]}');
  expect(await eventLists.known('a')).toEqual({});
  await eventLists.add('b40', 'a', LIST);
  expect(await eventLists.known('a')).toEqual({ b40: LIST });
});

test('demos that are read at once keep both lists', async () => {
  const { eventLists } = await setUp();
  await Promise.all(['1', '2', '3'].map((build) => eventLists.add(build, 'a', LIST)));
  expect(Object.keys(await eventLists.known('a')).toSorted()).toEqual(['1', '2', '3']);
});

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
