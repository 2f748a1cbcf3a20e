import { readFile } from 'node:fs/promises';
import { parseTicks } from '@laihoe/demoparser2';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEMO_COMMAND } from '#demo-format/container.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { type Match, TRACK_ALIVE, TRACK_PRESENT, TRACK_TEAM_CT } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { readDemo } from '#render-host/source2/demo-reader.ts';
import { decodeMessage, unpack, walkFrames } from '#render-host/source2/frames.ts';
import { outfitAt } from '#scene/match/player-state.ts';
import { bothPlans, killSelection, timeline } from '../plan/build-match.ts';
import { haveRealDemos, realDemo, writeTestFile } from './real-demos.ts';

async function read(name: string): Promise<Match> {
  const result = await readMatch(realDemo(name));
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  return result.match;
}

/** Returns the classes of a demo that cannot be decoded. The reader compares each entity's length with the packet's. */
async function faultsOf(path: string): Promise<[string, string][]> {
  const names: string[] = [];
  await walkFrames(path, { payloads: true }, ({ command, compressed, payload }) => {
    if (command !== DEMO_COMMAND.classInfo || payload === null) return;
    const { classes } = decodeMessage('CDemoClassInfo', compressed ? unpack(payload) : payload);
    names.push(...classes.map(({ network_name }) => network_name));
  });
  expect(names.length).toBeGreaterThan(200);
  let faults: [string, string][] = [];
  await readDemo(path, Object.fromEntries(names.map((name) => [name, []])), (entities) => {
    const nothing = () => {};
    const packetEnd = () => {
      faults = [...entities.faults()];
    };
    const [fileHeader, serverInfo, userInfo, conVar, gameEventList, gameEvent] = new Array(6).fill(nothing);
    return { fileHeader, serverInfo, userInfo, conVar, gameEventList, gameEvent, packetEnd };
  });
  return faults;
}

describe.skipIf(!haveRealDemos)('demos recorded by the game', () => {
  test('14090: ten players, the recorder not among them, and two kills in one round', async () => {
    const match = await read('14090.dem');
    expect(match).toMatchObject({ map: 'cs_italy', firstTick: 1, lastTick: 572 });
    expect(match.players.map(({ name, isBot }) => [name, isBot])).toEqual([
      ['Partridge', false],
      ...['York', 'Oli', 'Clarence', 'Greymouth', 'Vox', 'Colin', 'Ferris', 'Walt', 'Efe'].map((name) => [name, true]),
    ]);
    expect(match.players.map(({ crosshair }) => crosshair?.color).filter(Boolean)).toEqual(['#32fafa']);
    // The match begins at tick 76, and has no round events. All players are enemies.
    expect(match.rounds).toMatchObject([{ number: 1, startTick: 76, endTick: null }]);
    expect(match.kills.every(({ freeForAll }) => freeForAll === true)).toBe(true);
    const name = (player: number | null) => (player === null ? null : match.players[player]?.name);
    expect(
      match.kills.map((kill) => [kill.tick, name(kill.attacker), name(kill.victim), kill.weapon, kill.round]),
    ).toEqual([
      [363, 'Ferris', 'Partridge', 'galilar', 1],
      [464, 'Walt', 'Vox', 'ak47', 1],
    ]);
    // A killer has had the victim on the radar.
    for (const { tick, attacker, victim } of match.kills) {
      const isSeen = match.sights.some(
        (one) => one.by === attacker && one.player === victim && one.startTick <= tick && tick <= one.endTick,
      );
      expect(isSeen).toBe(true);
    }
    expect(match.hurts).toHaveLength(12);
    expect(match.weaponFires).toHaveLength(42);
    expect(
      inspectMatch(match)
        .players.filter(({ kills, deaths }) => kills + deaths > 0)
        .map(({ steamId, name, kills, deaths }) => [steamId, name, kills, deaths]),
    ).toEqual([
      ['76561197966986733', 'Partridge', 0, 1],
      ['90071996842377221', 'Vox', 0, 1],
      ['90071996842377223', 'Ferris', 1, 0],
      ['90071996842377224', 'Walt', 1, 0],
    ]);
  });

  test('14090: a killed player is alive before the tick of their death, and not after', async () => {
    const { tracks } = await read('14090.dem');
    const flags = (tick: number) => tracks.flags[tick - tracks.firstTick] ?? 0;
    expect(flags(362)).toBe(TRACK_PRESENT | TRACK_ALIVE | TRACK_TEAM_CT);
    expect(flags(363)).toBe(TRACK_PRESENT | TRACK_TEAM_CT);
  });

  test('14090: a deathmatch has no money, and a clock of ten minutes', async () => {
    const { outfits, clocks } = await read('14090.dem');
    expect(new Set(outfits.map(({ money }) => money))).toEqual(new Set([null]));
    expect(clocks.at(-1)).toEqual({ tick: 76, startTick: 71, seconds: 600 });
  });

  test('14090: each shot of a rifle takes a round, from thirty down', async () => {
    const { outfits, players } = await read('14090.dem');
    const walt = players.findIndex(({ steamId }) => steamId === '90071996842377224');
    const rifle = outfits.filter(({ player, weapon }) => player === walt && weapon === 'ak47');
    const clips = rifle.map(({ clip = 0 }) => clip);
    expect(clips[0]).toBe(30);
    expect(clips).toEqual(clips.toSorted((a, b) => b - a));
    expect(new Set(rifle.map(({ reserve }) => reserve))).toEqual(new Set([90]));
    expect(outfits.filter(({ weapon }) => weapon === 'knife').map(({ clip }) => clip)).not.toContain(0);
  });

  test('14065: pistols are full', async () => {
    const { outfits } = await read('14065.dem');
    const loaded = outfits.map(({ weapon, clip, reserve }) => `${weapon} ${clip} ${reserve}`);
    expect(new Set(loaded)).toContain('glock 20 120');
    expect(new Set(loaded)).toContain('hkp2000 13 52');
  });

  test('14160: its clock starts after the recording', async () => {
    expect((await read('14160.dem')).clocks).toEqual([{ tick: 1, startTick: 697, seconds: 115 }]);
  });

  test('14065: a recording that starts within the freeze time is round 1', async () => {
    const { map, rounds, kills, clocks, outfits } = await read('14065.dem');
    expect(clocks).toEqual([{ tick: 1, startTick: 142, seconds: 115 }]);
    expect(outfits[0]?.money).toBe(800);
    expect(map).toBe('de_nuke');
    expect(rounds).toMatchObject([{ number: 1, startTick: 1, freezeEndTick: 142, endTick: null }]);
    expect(kills).toEqual([]);
  });

  test.each(['14065.dem', '14090.dem', '14160.dem'])(
    '%s: its state tells of rounds, and a server recorded it',
    async (file) => {
      const { rounds, roundEvidence, complete, recorder, tickRate, gaps } = await read(file);
      expect(rounds.map(({ number }) => number)).toEqual([1]);
      expect(roundEvidence.numbers).toEqual(['rules']);
      expect({ complete, recorder, tickRate, gaps }).toEqual({
        complete: true,
        recorder: null,
        tickRate: 64,
        gaps: [],
      });
    },
  );

  test('14090: with zeros for its second half, the first half is read', async () => {
    const [whole, demo] = [await read('14090.dem'), await readFile(realDemo('14090.dem'))];
    const result = await readMatch(await writeTestFile(demo.fill(0, 400_000)));
    if (!result.ok) throw new Error(result.detail);
    const { lastTick, complete, damage, kills, weaponFires } = result.match;
    expect(lastTick).toBeGreaterThan(100);
    expect({ complete, damage }).toEqual({ complete: false, damage: { tick: lastTick, reason: expect.any(String) } });
    const before = ({ tick }: { readonly tick: number }): boolean => tick <= lastTick;
    expect([kills, weaponFires]).toEqual([whole.kills.filter(before), whole.weaponFires.filter(before)]);
  });

  test.each(['14065.dem', '14090.dem', '14160.dem'])(
    '%s: every class of it decodes to the very length that its packets tell',
    async (file) => {
      expect(await faultsOf(realDemo(file))).toEqual([]);
    },
  );

  test.each(['14065.dem', '14090.dem', '14160.dem'])('%s: its inspection gives the plans of the host', async (file) => {
    const match = await read(file);
    const steam64Id = fc.constantFrom(...match.players.map(({ steamId }) => steamId), '76561198000000009');
    const seconds = fc.integer({ min: 50, max: 500 }).map((hundredths) => hundredths / 100);
    const round = fc.constantFrom(null, 1, 2);
    const kills = fc.record({ steam64Id, round, preKillPadding: seconds, postKillPadding: seconds });
    const segment = fc.tuple(steam64Id, fc.nat(match.lastTick + 100), fc.integer({ min: 64, max: 640 }));
    const selections = fc.oneof(
      kills.map(killSelection),
      fc
        .array(segment, { minLength: 1, maxLength: 4 })
        .map((all) => timeline(...all.map(([id, at, ticks]): [string, number, number] => [id, at, at + ticks]))),
    );
    fc.assert(
      fc.property(selections, (selection) => {
        const [ofHost, ofInspection] = bothPlans(match, selection);
        expect(ofInspection).toEqual(ofHost);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['14065.dem', '14160.dem'])('%s: the player has what another parser sees, at every tick', async (file) => {
    const match = await read(file);
    const ticks = Array.from({ length: match.lastTick - 1 }, (_, i) => i + 2);
    const fields = ['health', 'is_alive', 'team_num', 'armor_value', 'balance', 'has_helmet', 'has_defuser'];
    const seen = parseTicks(realDemo(file), [...fields, 'last_place_name'], ticks) as Record<string, unknown>[];
    expect(seen.length).toBeGreaterThan(100);
    for (const { tick, steamid: _, name: __, ...row } of seen) {
      const at = Number(tick) - match.tracks.firstTick;
      const flags = match.tracks.flags[at] ?? 0;
      const outfit = outfitAt(match, 0, Number(tick));
      expect(row, `tick ${tick}`).toEqual({
        health: match.tracks.health[at],
        is_alive: (flags & TRACK_ALIVE) > 0,
        team_num: (flags & TRACK_TEAM_CT) > 0 ? 3 : 2,
        armor_value: outfit?.armor,
        balance: outfit?.money,
        has_helmet: outfit?.helmet,
        has_defuser: outfit?.kit,
        last_place_name: outfit?.place,
      });
    }
  });

  test.each(['14065.dem', '14160.dem'])(
    '%s: the player is where another parser sees him, at every tick',
    async (file) => {
      const { tracks, players, lastTick } = await read(file);
      const ticks = Array.from({ length: lastTick - 1 }, (_, i) => i + 2);
      const seen = parseTicks(realDemo(file), ['X', 'Y', 'Z', 'pitch', 'yaw'], ticks) as Record<string, number>[];
      expect(players[0]?.name).toBe('Partridge');
      expect(seen.length).toBeGreaterThan(100);
      for (const { tick, X, Y, Z, pitch, yaw } of seen) {
        const at = (tick ?? 0) - tracks.firstTick;
        const read = [tracks.x[at], tracks.y[at], tracks.z[at], tracks.pitch[at], tracks.yaw[at]];
        for (const [axis, value] of [X, Y, Z, pitch, yaw].entries())
          expect(read[axis]).toBeCloseTo(value ?? Number.NaN, 3);
      }
    },
  );
});
