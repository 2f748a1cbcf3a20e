import { describe, expect, test } from 'vitest';
import { composeMatch, type MatchOutline } from '#demo-writer/index.ts';
import { TRACK_ALIVE, TRACK_PRESENT, TRACK_TEAM_CT, TRACK_TEAM_T } from '#render-host/match/match.ts';
import { readComposed } from './real-demos.ts';

const outline: MatchOutline = {
  warmupEndTick: 100,
  rounds: [
    { startTick: 100, endTick: 900, winner: 'T' },
    { startTick: 1220, freezeEndTick: 1300, endTick: 1700, officialEndTick: 1900, winner: 'CT' },
    { startTick: 1900 },
  ],
  kills: [
    { tick: 50, attacker: 0, victim: 5 },
    { tick: 400, attacker: 0, victim: 6, weapon: 'awp', headshot: true, noScope: true, throughSmoke: true },
    { tick: 890, attacker: 1, victim: 7, assister: 2, wallbang: true, attackerBlind: true },
    { tick: 1000, attacker: 0, victim: 8, weapon: 'deagle' },
    { tick: 1400, attacker: 6, victim: 0 },
    { tick: 1500, attacker: 7, victim: 7, weapon: 'hegrenade' },
    { tick: 1600, attacker: 1, victim: 2 },
    { tick: 2000, attacker: null, victim: 3 },
  ],
  lastTick: 2100,
};

describe('a composed match, read back', () => {
  test('has its map, its ticks and its players under their Steam ids', { tags: ['long'] }, async () => {
    const match = await readComposed(outline);
    const { players } = composeMatch(outline);
    expect(match).toMatchObject({ map: 'de_mirage', gamePatch: 14160, tickRate: 64, firstTick: 1, lastTick: 2100 });
    const expected = players.map(({ steamId, name, userId: slot }) => ({
      steamId,
      name,
      userId: 65_600 + slot * 128,
      isBot: false,
      seats: [{ sinceTick: 0, slot }],
    }));
    expect(match.players.map(({ crosshair: _, ...player }) => player)).toEqual(expected);
  });

  test.each([
    ['CChicken', true],
    ['CWorld', undefined],
  ])('says whether there is a chicken in its first tick: %s', async (name, is) => {
    const match = await readComposed({ lastTick: 100 }, { classNames: { CWorld: name } });
    expect(match.startsWithChicken).toBe(is);
  });

  test('has its rounds, counted from the end of the warm-up, and their clocks', async () => {
    const { rounds, clocks } = await readComposed(outline);
    expect(clocks.slice(-3)).toEqual([
      { tick: 100, startTick: 228, seconds: 115 },
      { tick: 1220, startTick: 1300, seconds: 115 },
      { tick: 1900, startTick: 2028, seconds: 115 },
    ]);
    const undecided = { endTick: null, officialEndTick: null, winner: null, reason: null, score: null };
    expect(rounds).toEqual([
      {
        number: 1,
        startTick: 100,
        freezeEndTick: 228,
        endTick: 900,
        officialEndTick: 1220,
        winner: 'T',
        reason: 'terrorists_won',
        score: { T: 1, CT: 0 },
      },
      {
        number: 2,
        startTick: 1220,
        freezeEndTick: 1300,
        endTick: 1700,
        officialEndTick: 1900,
        winner: 'CT',
        reason: 'cts_won',
        score: { T: 1, CT: 1 },
      },
      { number: 3, startTick: 1900, freezeEndTick: 2028, ...undecided },
    ]);
  });

  test('has its kills in their rounds; one after the end of a round still belongs to it', async () => {
    const { kills } = await readComposed(outline);
    expect(kills.map(({ tick, attacker, victim, round }) => [tick, attacker, victim, round])).toEqual([
      [50, 0, 5, null],
      [400, 0, 6, 1],
      [890, 1, 7, 1],
      [1000, 0, 8, 1],
      [1400, 6, 0, 2],
      [1500, 7, 7, 2],
      [1600, 1, 2, 2],
      [2000, null, 3, 3],
    ]);
  });

  test('has the circumstances of its kills', async () => {
    const { kills } = await readComposed(outline);
    const plain = {
      assister: null,
      attackerTeam: 'T',
      victimTeam: 'CT',
      weapon: 'ak47',
      headshot: false,
      wallbang: false,
      noScope: false,
      throughSmoke: false,
      attackerBlind: false,
    };
    expect(kills[0]).toMatchObject(plain);
    expect(kills[1]).toMatchObject({ ...plain, weapon: 'awp', headshot: true, noScope: true, throughSmoke: true });
    expect(kills[2]).toMatchObject({ ...plain, assister: 2, wallbang: true, attackerBlind: true });
    expect(kills[4]).toMatchObject({ ...plain, attackerTeam: 'CT', victimTeam: 'T' });
    expect(kills[6]).toMatchObject({ ...plain, victimTeam: 'T' });
    expect(kills[7]).toMatchObject({ ...plain, attackerTeam: null, victimTeam: 'T', weapon: 'world' });
  });

  test('has its hits and shots', async () => {
    const { hurts, weaponFires } = await readComposed(outline);
    expect(hurts[1]).toEqual({
      tick: 400,
      attacker: 0,
      victim: 6,
      damage: 100,
      armorDamage: 0,
      healthLeft: 0,
      weapon: 'awp',
      hitgroup: 1,
    });
    expect(weaponFires[1]).toEqual({ tick: 400, player: 0, weapon: 'awp' });
  });

  test('has each player’s position at each tick', async () => {
    const { tracks, players } = await readComposed(outline);
    let worst = 0;
    for (const { tick, players: states } of composeMatch(outline).frames()) {
      for (const [player, state] of states.entries()) {
        const at = player * tracks.length + tick - tracks.firstTick;
        const read = {
          x: tracks.x[at],
          y: tracks.y[at],
          z: tracks.z[at],
          yaw: tracks.yaw[at],
          pitch: tracks.pitch[at],
        };
        for (const key of ['x', 'y', 'z', 'yaw', 'pitch'] as const) {
          // The dead stay where they were written last.
          if (state.health > 0) worst = Math.max(worst, Math.abs((read[key] ?? Number.NaN) - state[key]) % 359.9);
        }
        const team = state.team === 'T' ? TRACK_TEAM_T : TRACK_TEAM_CT;
        const expected = TRACK_PRESENT | team | (state.health > 0 ? TRACK_ALIVE : 0);
        if (tracks.flags[at] !== expected || tracks.health[at] !== state.health) expect.fail(`${tick}, ${player}`);
      }
    }
    expect(players).toHaveLength(10);
    // The format's own steps: 1/32 unit or less, and 360/65536 degrees or less.
    expect(worst).toBeLessThan(0.05);
  });
});

describe('effects', () => {
  test('last from their event to their end, or as long as the game lets them', async () => {
    const at = { x: 10, y: -20, z: 30 };
    const { effects } = await readComposed({
      extraEvents: [
        { tick: 100, event: { name: 'smokegrenade_detonate', values: { entityid: 200, ...at } } },
        { tick: 110, event: { name: 'inferno_startburn', values: { entityid: 201, ...at } } },
        { tick: 120, event: { name: 'flashbang_detonate', values: { entityid: 202, ...at } } },
        { tick: 130, event: { name: 'hegrenade_detonate', values: { entityid: 203, ...at } } },
        { tick: 300, event: { name: 'inferno_expire', values: { entityid: 201, ...at } } },
        { tick: 400, event: { name: 'smokegrenade_expired', values: { entityid: 200, ...at } } },
        { tick: 500, event: { name: 'smokegrenade_detonate', values: { entityid: 204, ...at } } },
      ],
      rounds: [{ startTick: 600 }],
      lastTick: 2000,
    });
    expect(effects).toEqual([
      { kind: 'smoke', startTick: 100, endTick: 400, ...at },
      { kind: 'fire', startTick: 110, endTick: 300, ...at },
      { kind: 'flash', startTick: 120, endTick: 152, ...at },
      { kind: 'explosion', startTick: 130, endTick: 162, ...at },
      { kind: 'smoke', startTick: 500, endTick: 600, ...at },
    ]);
  });

  test('the bomb is where its planter was, until it explodes', async () => {
    const { effects, tracks } = await readComposed({
      extraEvents: [
        { tick: 100, event: { name: 'bomb_planted', values: { userid: 2, site: 1 } } },
        { tick: 300, event: { name: 'bomb_exploded', values: { userid: 2, site: 1 } } },
      ],
    });
    const at = 2 * tracks.length + 100 - tracks.firstTick;
    const place = { x: tracks.x[at], y: tracks.y[at], z: tracks.z[at] };
    expect(effects.map(({ kind, startTick, endTick }) => [kind, startTick, endTick])).toEqual([
      ['bomb', 100, 300],
      ['explosion', 300, 332],
    ]);
    for (const { x, y, z } of effects) {
      expect(Math.hypot(x - (place.x ?? 0), y - (place.y ?? 0), z - (place.z ?? 0))).toBeLessThan(0.01);
    }
  });
});
