import type { Facts } from '#domain/failure/codes.ts';
import { roundList } from '#domain/failure/help.ts';
import type { KillSelection } from '../render-order.ts';
import type { PlannableKill, PlannableMatch } from './match.ts';

type Scores = Pick<PlannableMatch, 'kills' | 'rounds'>;

/** Returns why no kills were found: the rounds of the demo, and the rounds of the player's kills. */
export function noKillsDetail(match: Scores, player: number, { steam64Id, round }: KillSelection): string {
  const kills = killsOf(match, player);
  const counted = roundsOf(kills);
  const where = round === null ? '' : ` in round ${round}`;
  const numbers = match.rounds.map(({ number }) => number);
  const coverage = numbers.length === 0 ? 'has no rounds' : `covers ${roundList(numbers)}`;
  const parts = [`player ${steam64Id} has no kills${where}`, `the demo ${coverage}`];
  if (counted.length > 0) parts.push(`the player's kills are in ${roundList(counted)}`);
  const others = kills.length - counted.length;
  if (others > 0) parts.push(`${others} in warm-up, or in rounds that were played anew`);
  return parts.join('; ');
}

/** Returns the same as facts for the client. */
export function noKillsFacts(match: Scores, player: number, { round }: KillSelection): Facts {
  const known = (numbers: readonly number[]) => [...new Set(numbers)].slice(0, MOST_ROUNDS);
  return {
    round_asked: round,
    rounds: known(roundsOf(killsOf(match, player))),
    rounds_in_demo: known(match.rounds.map(({ number }) => number)),
  };
}

/** The most rounds that a failure lists; a match has fewer. */
const MOST_ROUNDS = 60;

function killsOf({ kills }: Scores, player: number): PlannableKill[] {
  return kills.filter(({ attacker }) => attacker === player);
}

function roundsOf(kills: readonly PlannableKill[]): number[] {
  return kills.flatMap(({ round }) => (round === null ? [] : [round]));
}
