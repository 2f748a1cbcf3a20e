import { describe, expect, test } from 'vitest';
import type { MatchOutline, RecordingOptions } from '#demo-writer/index.ts';
import { demoView } from '#render-host/match/demo-view.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import type { Match } from '#render-host/match/match.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { readComposed } from './real-demos.ts';

describe('kills', () => {
  const facts = ({ kills, players }: Match) =>
    kills.map(({ attacker, attackerTeam, victim, freeForAll }) => {
      const who = `${players[attacker ?? -1]?.name} (${attackerTeam}) > ${players[victim]?.name}`;
      return freeForAll ? `${who}, free for all` : who;
    });
  const kill = { tick: 150, attacker: 0, victim: 5 } as const;
  const at = (player: number, slot: number | null, tick = 140) => ({ tick, player, slot });

  const KILLED = 'Juniper (T) > Copperfin';
  test.each<[string, MatchOutline, readonly string[], RecordingOptions?]>([
    ['whose attacker is known by his body alone', { kills: [{ ...kill, attackerGone: true }] }, [KILLED]],
    ['of a leaver keep his side', { kills: [kill], seats: [at(0, null)] }, [KILLED]],
    [
      'of a leaver whose slot another player took',
      { kills: [kill, { tick: 160, attacker: 1, victim: 6 }], seats: [at(0, null, 130), at(1, 0)] },
      [KILLED, 'Käthe Möwe (T) > Łukasz Z.'],
    ],
    [
      'of a player who comes back in another slot',
      { kills: [{ ...kill, tick: 60 }, kill], seats: [at(0, null, 100), at(0, 12)] },
      [KILLED, KILLED],
    ],
    [
      'of mates where mates are enemies',
      { kills: [{ ...kill, victim: 1 }] },
      ['Juniper (T) > Käthe Möwe, free for all'],
      { conVars: { mp_teammates_are_enemies: 'true' } },
    ],
    ['under ids that share their low byte', { kills: [kill] }, [KILLED], { wireId: (slot) => 65_792 + slot * 256 }],
    ['under ids that are the slot', { kills: [kill] }, [KILLED], { wireId: (slot) => slot }],
  ])('%s', async (_name, outline, expected, recording) => {
    expect(facts(await readComposed({ lastTick: 200, ...outline }, recording))).toEqual(expected);
  });

  test('after the takeover of a bot are the player’s, who is where the bot’s body is', async () => {
    const kills = [kill, { tick: 170, attacker: 5, victim: 1 }];
    const { tracks, kills: read } = await readComposed({
      kills,
      takeovers: [{ tick: 155, player: 5, bot: 6 }],
      lastTick: 200,
    });
    expect(read.at(-1)).toMatchObject({ attacker: 5, attackerTeam: 'CT' });
    const alone = await readComposed({ kills, lastTick: 200 });
    const x = (of: Match['tracks'], player: number) => of.x[player * of.length + 170 - of.firstTick];
    expect(x(tracks, 5)).toBe(x(alone.tracks, 6));
    expect(tracks.flags[6 * tracks.length + 170 - tracks.firstTick]).toBe(0);
  });

  test('beyond 10,000 are counted, as are those that an inspection leaves out', { tags: ['long'] }, async () => {
    const match = await readComposed({ kills: new Array(10_002).fill(kill), lastTick: 200 });
    expect([match.kills.length, match.killsLeftOut]).toEqual([10_000, 2]);
    const { kills, kills_left_out } = demoView(inspectMatch(match));
    expect([kills.length, kills_left_out]).toEqual([3000, 7002]);
    const few = await readComposed({ kills: [kill], lastTick: 200 });
    expect([few.killsLeftOut, demoView(inspectMatch(few)).kills_left_out]).toEqual([undefined, undefined]);
  });

  test('of two accounts of one name stay apart', async () => {
    const players = [0, 1].map((userId) => ({ steamId: `7656119900000000${userId}`, name: 'Twin', userId }));
    const { kills, players: read } = await readComposed({
      players,
      kills: [{ tick: 50, attacker: 0, victim: 1 }],
      lastTick: 60,
    });
    expect(read.map(({ steamId }) => steamId)).toEqual(players.map(({ steamId }) => steamId));
    expect(kills).toMatchObject([{ attacker: 0, victim: 1, attackerTeam: 'T', victimTeam: 'CT' }]);
  });

  test('include deadly hits without an event of the death; a later event, and hits of dead players, add none', async () => {
    const lost = { tick: 160, attacker: 0, victim: 6, headshot: true, weapon: 'awp', deathLost: true };
    const hit = {
      name: 'player_hurt',
      values: { userid: 6, attacker: 1, health: 0, dmg_health: 20, weapon: 'glock' },
    } as const;
    const late = { name: 'player_death', values: { userid: 5, attacker: 0, assister: 2, weapon: 'deagle' } } as const;
    const { kills, hurts } = await readComposed({
      kills: [{ ...kill, deathLost: true }, lost, { tick: 190, attacker: null, victim: 7, deathLost: true }],
      extraEvents: [
        { tick: 161, event: hit },
        { tick: 165, event: late },
        { tick: 165, event: hit },
      ],
      lastTick: 200,
    });
    expect(kills).toMatchObject([
      { tick: 160, attacker: 0, attackerTeam: 'T', victim: 6, victimTeam: 'CT', weapon: 'awp', headshot: true },
      { tick: 165, attacker: 0, victim: 5, assister: 2, weapon: 'deagle', headshot: false },
      { tick: 190, attacker: null, victim: 7 },
    ]);
    expect(kills).toHaveLength(3);
    expect(hurts.map(({ victim, damage }) => [victim, damage])).toEqual([
      [5, 100],
      [6, 100],
      [6, 0],
      [6, 0],
      [7, 100],
    ]);
  });

  test('of a player who dies in two rounds within a second are two', async () => {
    const { kills } = await readComposed({
      rounds: [{ startTick: 170 }],
      kills: [
        { ...kill, deathLost: true },
        { ...kill, tick: 190 },
      ],
      lastTick: 200,
    });
    expect(kills.map(({ tick }) => tick)).toEqual([150, 190]);
  });

  test('name the slot that a player had when', async () => {
    const { players } = await readComposed({ seats: [at(0, null, 100), at(0, 12)], lastTick: 200 });
    expect(players[0]?.seats).toEqual([
      { sinceTick: 0, slot: 0 },
      { sinceTick: expect.closeTo(140, -1), slot: 12 },
    ]);
  });

  test('are those of the player who has the slot, though the recording repeats the entry of a former one', async () => {
    const players = ['Dora', 'Anna', 'Fritz', 'Gerd', 'Nele'].map((name, userId) => ({
      steamId: `7656119900000000${userId}`,
      name,
      userId,
    }));
    const match = await readComposed(
      {
        players,
        seats: [at(4, null, 1), at(0, null, 100), at(4, 0, 110)],
        kills: [
          { tick: 50, attacker: 0, victim: 3 },
          { tick: 150, attacker: 4, victim: 2 },
        ],
        lastTick: 200,
      },
      { repeatedEntries: [111, 140, 160].map((tick) => ({ tick, userId: 0 })) },
    );
    const indexOf = (name: string) => match.players.findIndex((player) => player.name === name);
    const [dora, nele] = [indexOf('Dora'), indexOf('Nele')];
    expect(match.kills.map(({ attacker }) => attacker)).toEqual([dora, nele]);
    expect([99, 101, 199].map((tick) => playerAt(match, dora, tick) !== null)).toEqual([true, false, false]);
    expect([101, 111, 199].map((tick) => playerAt(match, nele, tick) !== null)).toEqual([false, true, true]);
    expect(match.players.map(({ seats }) => seats.map(({ slot }) => slot))).toEqual([[0], [1], [2], [3], [4, 0]]);
  });
});
