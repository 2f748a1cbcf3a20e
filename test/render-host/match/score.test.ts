import { describe, expect, test } from 'vitest';
import {
  type Match,
  type Round,
  type Team,
  TRACK_PRESENT,
  TRACK_TEAM_CT,
  TRACK_TEAM_T,
} from '../../../render-host/match/match.ts';
import { scoreAfter } from '../../../render-host/match/score.ts';
import { buildMatch } from '../builders.ts';

const round = (number: number, winner: Team | null): Round => ({
  ...{ number, winner, freezeEndTick: null, officialEndTick: null },
  startTick: number * 10,
  endTick: number * 10 + 9,
});

/** The sides change after round 2. */
function matchOf(winners: readonly (Team | null)[], fromStart = true): Match {
  const match = buildMatch({ ticks: 100, rounds: winners.map((winner, at) => round(at + 1, winner)), fromStart });
  for (let player = 0; player < 10; player++) {
    for (let tick = 30; tick < 100; tick++) {
      match.tracks.flags[player * 100 + tick] = TRACK_PRESENT | (player < 5 ? TRACK_TEAM_T : TRACK_TEAM_CT);
    }
  }
  return match;
}

function scores(match: Match) {
  return match.rounds.map((one) => scoreAfter(match, one));
}

describe('the score', () => {
  test('counts won rounds by side, and goes with the teams when they change sides', () => {
    expect(scores(matchOf(['CT', 'CT', 'CT', 'T']))).toEqual([
      { CT: 1, T: 0 },
      { CT: 2, T: 0 },
      { CT: 1, T: 2 },
      { CT: 1, T: 3 },
    ]);
  });

  test('is unknown after a round that nobody is known to have won', () => {
    expect(scores(matchOf(['CT', null, 'T']))).toEqual([{ CT: 1, T: 0 }, null, null]);
  });

  test('is unknown in a recording that starts amid the match', () => {
    expect(scores(matchOf(['CT', 'T'], false))).toEqual([null, null]);
  });

  test('follows most players: one who changes sides alone changes nothing', () => {
    const match = matchOf(['CT', 'T']);
    match.tracks.flags.fill(TRACK_PRESENT | TRACK_TEAM_T, 25, 100);
    expect(scores(match)).toEqual([
      { CT: 1, T: 0 },
      { CT: 1, T: 1 },
    ]);
  });
});
