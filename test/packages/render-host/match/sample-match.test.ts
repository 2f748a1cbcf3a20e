import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSampleMatch, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import type { ScriptedMatch } from '#demo-writer/script/scripted-match.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { testFolder } from './real-demos.ts';

test.each([
  ['of two rounds', { rounds: 2 }, undefined],
  ['with an overtime', { rounds: 6, regularRounds: 4, overtimeRounds: 2 }, { regular: 4, overtime: 2 }],
])(
  'every kill and round of a match %s is found again, and nothing else',
  {
    tags: ['long'],
  },
  async (_name, options, matchRounds) => {
    const script = createSampleMatch({ seed: 7, ...options });
    const path = join(await testFolder(), 'match.dem');
    await writeDemoFile(script, path);
    const result = await readMatch(path);
    if (!result.ok) throw new Error(result.detail);
    const { match } = result;
    const truth = truthOf(script);
    expect(match.lastTick).toBe(truth.lastTick);
    expect(new Set(match.players.map(({ crosshair }) => crosshair?.color))).toEqual(
      new Set(['#32fafa', '#32fa32', undefined]),
    );
    // In the demo, only the next start shows when a round is officially over.
    const expected = truth.rounds.map((round, at) => ({
      number: at + 1,
      ...round,
      officialEndTick: truth.rounds[at + 1]?.startTick ?? null,
    }));
    expect(match.rounds).toEqual(expected);
    expect(match.matchRounds).toEqual(matchRounds);
    const userId = (player: number | null) =>
      player === null ? null : script.players.findIndex(({ steamId }) => steamId === match.players[player]?.steamId);
    const sides = new Map(Array.from(script.frames(), ({ tick, players }) => [tick, players.map(({ team }) => team)]));
    for (const { tick, attacker, victim, attackerTeam, victimTeam } of match.kills) {
      const teams = [attacker, victim].map((player) => sides.get(tick)?.[userId(player) ?? -1] ?? null);
      expect([attackerTeam, victimTeam]).toEqual(teams);
    }
    const kills = match.kills.map(({ attackerTeam: _a, victimTeam: _v, round, ...kill }) => ({
      ...kill,
      attacker: userId(kill.attacker),
      victim: userId(kill.victim),
      assister: userId(kill.assister),
      warmup: round === null,
    }));
    expect(kills).toEqual(truth.kills);
    for (const kill of match.kills) {
      const round = match.rounds.findLast(({ startTick }) => startTick <= kill.tick);
      expect(kill.round).toBe(round?.number ?? null);
    }
    const count = (...names: Parameters<typeof truth.eventCounts.get>[0][]) =>
      names.reduce((sum, name) => sum + (truth.eventCounts.get(name) ?? 0), 0);
    const kindCount = (wanted: string) => match.effects.filter(({ kind }) => kind === wanted).length;
    expect(match.weaponFires).toHaveLength(count('weapon_fire'));
    expect(match.hurts).toHaveLength(count('player_hurt'));
    const thrown = match.weaponFires.filter(({ weapon }) => /grenade|flashbang|molotov/.test(weapon));
    expect(match.flights.map(({ player }) => player)).toEqual(thrown.map(({ player }) => player));
    for (const { path } of match.flights) expect(path.length).toBeGreaterThan(4);
    expect(new Set(match.outfits.map(({ place }) => place))).toContain('BombsiteA');
    expect(match.blindings).toHaveLength(count('player_blind'));
    expect(match.reloads).toHaveLength(count('weapon_reload'));
    const bombCount = (...kinds: string[]) => match.bombActions.filter(({ kind }) => kinds.includes(kind)).length;
    expect(bombCount('plant_begun', 'planted')).toBe(count('bomb_beginplant', 'bomb_planted'));
    expect(bombCount('defuse_begun', 'defused')).toBe(count('bomb_begindefuse', 'bomb_defused'));
    expect(kindCount('smoke')).toBe(count('smokegrenade_detonate'));
    expect(kindCount('fire')).toBe(count('inferno_startburn'));
    for (const { kind, flames = [], startTick, endTick, x, y } of match.effects) {
      if (kind !== 'fire' || endTick - startTick < 96) continue;
      expect(flames).toHaveLength(14);
      expect(flames[0]).toMatchObject({ endTick, x: Math.round(x), y: Math.round(y) });
      expect(flames.at(-1)?.startTick).toBeGreaterThan(startTick + 70);
      for (const flame of flames) expect(Math.hypot(flame.x - x, flame.y - y)).toBeLessThan(121);
    }
    const sights = match.sights.map(({ player, by, startTick, endTick }) => [
      userId(player),
      userId(by),
      startTick,
      endTick,
    ]);
    expect(sights).toEqual(trueSights(script));
    expect(sights.length).toBeGreaterThan(50);
    expect(kindCount('bomb')).toBe(count('bomb_planted'));
    expect(kindCount('explosion')).toBe(count('hegrenade_detonate', 'bomb_exploded'));
  },
);

/** Returns who sees whom in a match from when to when, by start. */
function trueSights(script: ScriptedMatch): number[][] {
  const sights: number[][] = [];
  const open = new Map<string, number[]>();
  for (const { tick, players } of script.frames()) {
    for (const [player, { health, spottedBy = 0 }] of players.entries()) {
      for (const by of players.keys()) {
        const key = `${player} ${by}`;
        const isSeen = health > 0 && ((spottedBy >> by) & 1) === 1;
        const before = open.get(key);
        if (isSeen && before === undefined) {
          const sight = [player, by, tick, Infinity];
          sights.push(sight);
          open.set(key, sight);
        } else if (!isSeen && before !== undefined) {
          before[3] = tick;
          open.delete(key);
        }
      }
    }
  }
  return sights;
}
