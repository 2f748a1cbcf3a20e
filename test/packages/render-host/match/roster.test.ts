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

  describe('where a controller names a human', () => {
    const controller = (steamId: bigint, name: string) => ({ entity: {}, steamId, name });

    test('gives the slot to them, whatever old entries say; a repeated entry seats nobody', () => {
      const roster = createRoster();
      roster.update(-1, 3, info('104', 'Dora', 3));
      roster.control(1, 3, controller(104n, 'Dora'));
      expect(roster.playerAt(3)).toBe(0);
      roster.update(900, 3, info('177', 'Nele', 3));
      expect(roster.playerAt(3)).toBe(0);
      roster.control(901, 3, controller(177n, 'Nele'));
      roster.update(902, 3, info('104', 'Dora', 3));
      expect([roster.playerAt(3), roster.playerOf(3)]).toEqual([1, 1]);
      roster.control(1000, 5, controller(104n, 'Dora'));
      roster.update(1100, 3, info('104', 'Dora', 3));
      expect(roster.playerAt(5)).toBe(0);
      expect(
        roster.players().map(({ name, seats }) => [name, seats.map(({ sinceTick, slot }) => [sinceTick, slot])]),
      ).toEqual([
        [
          'Dora',
          [
            [0, 3],
            [1000, 5],
          ],
        ],
        ['Nele', [[901, 3]]],
      ]);
    });

    test('takes their name and id from it, also without any entry, and after a return into an old slot', () => {
      const roster = createRoster();
      roster.control(1, 3, controller(104n, 'Dora'));
      expect(roster.playerAt(3)).toBe(0);
      roster.control(50, 4, controller(104n, 'Dora D.'));
      roster.control(90, 3, controller(104n, 'Dora D.'));
      roster.update(95, 3, info('104', 'Dora', 3));
      const seats = [
        { sinceTick: 1, slot: 3 },
        { sinceTick: 50, slot: 4 },
        { sinceTick: 90, slot: 3 },
      ];
      expect(roster.players()).toEqual([{ steamId: '104', name: 'Dora D.', userId: 3, isBot: false, seats }]);
      expect(roster.slotsNamed('Dora D.')).toEqual([3, 4]);
    });

    test('has the bot that followed them, with the bot’s entry or without', () => {
      const roster = createRoster();
      roster.update(-1, 3, info('104', 'Dora', 3));
      roster.control(1, 3, controller(104n, 'Dora'));
      roster.control(90, 3, controller(0n, 'Walt'));
      roster.update(95, 3, info('104', 'Dora', 3));
      expect(roster.playerAt(3)).toBe(0);
      expect(roster.players()).toMatchObject([{ steamId: '0', name: 'Walt', isBot: true }]);
      roster.update(100, 3, info('900', 'Walt', 3, { fakeplayer: true }));
      expect(roster.playerAt(3)).toBe(1);
      expect(roster.players()[1]).toMatchObject({ steamId: '900', name: 'Walt', seats: [{ sinceTick: 100, slot: 3 }] });
    });
  });

  test('has nobody by an entry without id and name', () => {
    const roster = createRoster();
    roster.update(1, 3, info('0', ' ', 3));
    expect(roster.playerAt(3)).toBeNull();
  });
});
