import { beforeAll, describe, expect, test } from 'vitest';
import { createSampleMatch, type ScriptedMatch, type TrueRound, truthOf } from '#demo-writer/index.ts';
import type { Kill, Match, Team } from '#render-host/match/match.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { buildMatch, killSelection } from './build-match.ts';

/**
 * Each player of a match of 30 rounds is planned and compared with the script. The expectation is computed tick by
 * tick, unlike the plan: a tick is shown if a kill's window covers it.
 */
const ROUNDS = 30;
const SECOND = 64;
const PAD = { before: 3 * SECOND, after: 2 * SECOND };

let match: Match;
let rounds: readonly TrueRound[];

/** The match of the script without positions, which plans do not use. */
beforeAll(() => {
  const script = createSampleMatch({ rounds: ROUNDS, seed: 4 });
  const teams = new Map<number, readonly Team[]>();
  const shown: ScriptedMatch = {
    ...script,
    *frames() {
      for (const frame of script.frames()) {
        teams.set(
          frame.tick,
          frame.players.map(({ team }) => team),
        );
        yield frame;
      }
    },
  };
  const truth = truthOf(shown);
  rounds = truth.rounds;
  const index = (userId: number | null) => script.players.findIndex((player) => player.userId === userId);
  const kills = truth.kills.map(({ warmup, ...kill }): Kill => {
    const [attacker, victim] = [index(kill.attacker), index(kill.victim)];
    const sides = teams.get(kill.tick) ?? [];
    return {
      ...kill,
      attacker: attacker < 0 ? null : attacker,
      victim,
      assister: kill.assister === null ? null : index(kill.assister),
      attackerTeam: sides[attacker] ?? null,
      victimTeam: sides[victim] ?? null,
      round: warmup ? null : rounds.findLastIndex(({ startTick }) => startTick <= kill.tick) + 1,
    };
  });
  match = buildMatch({
    lastTick: truth.lastTick,
    players: script.players.map(({ steamId, name, userId }) => ({ steamId, name, userId, isBot: false, seats: [] })),
    rounds: rounds.map(({ ...round }, at) => ({ number: at + 1, ...round, reason: null, score: null })),
    kills,
  });
});

/** Returns the kills of the player in a round that count, with the tick that each is shown to. */
function killsIn(player: number, number: number): { kill: Kill; until: number }[] {
  const round = rounds[number - 1];
  const inRound = match.kills.filter((kill) => kill.round === number);
  const own = inRound.filter(
    ({ attacker, attackerTeam, victimTeam }) => attacker === player && attackerTeam !== victimTeam,
  );
  return own.map((kill) => {
    const { endTick, officialEndTick, reason } = round ?? { endTick: null, officialEndTick: null, reason: null };
    const wiped = reason === (kill.attackerTeam === 'T' ? 'terrorists_won' : 'cts_won');
    const later = inRound.filter(
      ({ tick, victimTeam }) => tick > kill.tick && tick <= (endTick ?? 0) && victimTeam === kill.victimTeam,
    );
    const decided = endTick !== null && wiped && kill.tick <= endTick && later.length === 0;
    const announced = Math.min((endTick ?? 0) + 5 * SECOND, officialEndTick ?? 0, match.lastTick - 3 * SECOND);
    return { kill, until: Math.max(kill.tick + PAD.after, decided ? announced : 0) };
  });
}

/** The runs of ticks of a round that a window covers. */
function runsOf(windows: readonly { kill: Kill; until: number }[]): [number, number][] {
  const shown = new Set<number>();
  for (const { kill, until } of windows) {
    for (let tick = Math.max(1, kill.tick - PAD.before); tick < Math.min(until, match.lastTick); tick++)
      shown.add(tick);
  }
  const runs: [number, number][] = [];
  for (const tick of [...shown].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === tick) run[1] = tick + 1;
    else runs.push([tick, tick + 1]);
  }
  return runs;
}

describe(`a match of ${ROUNDS} rounds`, () => {
  test('has what a plan can get wrong: wiped teams, other ends, team kills, suicides, warm-up kills, both halves', () => {
    expect(match.players).toHaveLength(10);
    expect(new Set(rounds.map(({ reason }) => reason)).size).toBeGreaterThan(2);
    expect(match.kills.some(({ round }) => round === null)).toBe(true);
    expect(match.kills.some(({ attacker, victim }) => attacker === victim)).toBe(true);
    expect(match.kills.some((kill) => kill.attacker !== kill.victim && kill.attackerTeam === kill.victimTeam)).toBe(
      true,
    );
    const first = match.kills.find(({ round, attacker }) => round === 1 && attacker !== null);
    const last = match.kills.find(({ round, attacker }) => round === 24 && attacker === first?.attacker);
    expect([first?.attackerTeam, last?.attackerTeam ?? 'gone']).not.toEqual([first?.attackerTeam, first?.attackerTeam]);
  });

  describe.each(Array.from({ length: 10 }, (_, player) => player))('player %i', (player) => {
    test.each([null, 1, 2, 7, 15, 16, 23, ROUNDS])('is shown in round %s exactly as the script has it', (round) => {
      const steam64Id = match.players[player]?.steamId ?? '';
      const numbers = round === null ? rounds.map((_, at) => at + 1) : [round];
      const windows = numbers.map((number) => killsIn(player, number)).filter((kills) => kills.length > 0);
      const plan = planShots(match, killSelection({ steam64Id, round }));
      if (windows.length === 0) {
        expect(plan).toMatchObject({ ok: false, code: 'no_kills_found' });
        return;
      }
      if (!plan.ok) throw new Error(plan.detail);
      expect(plan.shots.map(({ startTick, endTick }) => [startTick, endTick])).toEqual(windows.flatMap(runsOf));
      expect(plan.shots.flatMap(({ kills }) => kills)).toEqual(windows.flat().map(({ kill }) => kill));
      expect(
        plan.shots.every((shot) => shot.pov === player && shot.kills.every((kill) => kill.round === shot.round)),
      ).toBe(true);
    });
  });
});
