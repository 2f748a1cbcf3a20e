import { describe, expect, test } from 'vitest';
import { createRoster } from '#render-host/match/roster.ts';

const info = (steamid: string, name: string, userid: number, overrides: object = {}) => ({
  name,
  userid,
  xuid: steamid,
  steamid,
  fakeplayer: false,
  ishltv: false,
  ...overrides,
});

describe('the roster', () => {
  test('lists who took part: a slot that nothing asks for only watched', () => {
    const roster = createRoster();
    roster.update(1, 0, info('100', 'Coach', 0));
    roster.update(1, 1, info('101', 'Anna', 1));
    expect(roster.playerAt(1)).toBe(0);
    expect(roster.players()).toEqual([
      { steamId: '101', name: 'Anna', userId: 1, isBot: false, seats: [{ sinceTick: 1, slot: 1 }] },
    ]);
  });

  test('keeps one player through a reconnect into another slot, under the latest name', () => {
    const roster = createRoster();
    roster.update(1, 1, info('101', 'Anna', 1));
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, null);
    roster.update(900, 4, info('101', 'Anna B.', 260));
    expect(roster.playerAt(4)).toBe(0);
    const seats = [
      { sinceTick: 1, slot: 1 },
      { sinceTick: 900, slot: 4 },
    ];
    expect(roster.players()).toEqual([{ steamId: '101', name: 'Anna B.', userId: 260, isBot: false, seats }]);
  });

  test('separates players who use one slot after each other; the last event still finds the first', () => {
    const roster = createRoster();
    roster.update(1, 1, info('101', 'Anna', 1));
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, null);
    expect(roster.playerAt(1)).toBe(0);
    roster.update(1, 1, info('102', 'Boris', 257));
    expect(roster.playerAt(1)).toBe(1);
  });

  test('knows bots by the steamid of their entry, and without one by seat and name', () => {
    const roster = createRoster();
    roster.update(1, 2, info('900', 'Vox', 2, { xuid: '0', fakeplayer: true }));
    roster.update(1, 3, info('0', 'Walt', 3, { fakeplayer: true }));
    roster.update(1, 4, info('0', 'Efe', 4, { fakeplayer: true }));
    expect([2, 3, 4].map((slot) => roster.playerAt(slot))).toEqual([0, 1, 2]);
    expect(roster.players().map(({ steamId, isBot }) => [steamId, isBot])).toEqual([
      ['900', true],
      ['0', true],
      ['0', true],
    ]);
  });

  test('falls back to the xuid of builds that send no steamid', () => {
    const roster = createRoster();
    roster.update(1, 0, info('0', 'Anna', 0, { xuid: '101' }));
    roster.playerAt(0);
    expect(roster.players()[0]?.steamId).toBe('101');
  });

  test('has nobody for GOTV, empty slots and no slot at all', () => {
    const roster = createRoster();
    roster.update(1, 9, info('900', 'DemoRecorder', 9, { ishltv: true }));
    expect([9, 5, null].map((slot) => roster.playerAt(slot))).toEqual([null, null, null]);
  });
});
