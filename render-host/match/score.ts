import type { Match, Round, Team } from './match.ts';
import { sideAt } from './sides.ts';

/**
 * The score when a round has been decided, by the side that each team plays then: sides change at half-time, and the rounds that a team won
 * on the other side go with it. null where the recording does not go back to the start of the match, or does not tell every winner.
 */
export function scoreAfter(match: Match, round: Round): Readonly<Record<Team, number>> | null {
  if (!match.fromStart || round.endTick === null) return null;
  const score = { T: 0, CT: 0 };
  for (const { number, winner, endTick } of match.rounds) {
    if (number > round.number) break;
    if (winner === null || endTick === null) return null;
    const swapped = haveSwapped(match, endTick, round.endTick);
    const side: Team = swapped === (winner === 'T') ? 'CT' : 'T';
    score[side] += 1;
  }
  return score;
}

/** Whether most of those who are there at both ticks are on another side then. */
function haveSwapped(match: Match, before: number, after: number): boolean {
  let stayed = 0;
  for (const player of match.players.keys()) {
    const from = sideAt(match.tracks, player, before);
    const to = sideAt(match.tracks, player, after);
    if (from !== null && to !== null) stayed += from === to ? 1 : -1;
  }
  return stayed < 0;
}
