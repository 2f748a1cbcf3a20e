import type { Facts } from '../failure.ts';
import type { KillSelection } from '../render-order.ts';
import type { PlannableKill, PlannableMatch } from './plannable-match.ts';

type Scores = Pick<PlannableMatch, 'kills' | 'rounds'>;

/** Returns why no kills were found: the rounds of the demo, and the rounds of the player's kills. */
export function noKillsDetail(match: Scores, player: number, { steam64Id, round }: KillSelection): string {
  const kills = killsOf(match, player);
  const counted = roundsOf(kills);
  const where = round === null ? '' : ` in round ${round}`;
  const parts = [`player ${steam64Id} has no kills${where}`, coverage(match)];
  if (counted.length > 0) parts.push(`the player's kills are in ${inRounds(counted)}`);
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

function coverage({ rounds }: Scores): string {
  const numbers = rounds.map(({ number }) => number);
  return numbers.length === 0 ? 'the demo has no rounds' : `the demo covers ${inRounds(numbers)}`;
}

/**
 * Returns `round 3`, `rounds 1 to 12` or `rounds 4, 7 (2) and 9`. `numbers` is ascending; a repeated one is counted.
 */
function inRounds(numbers: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const runs: [number, number][] = [];
  for (const number of counts.keys()) {
    const run = runs.at(-1);
    if (run !== undefined && number === run[1] + 1 && counts.get(number) === 1 && counts.get(run[1]) === 1)
      run[1] = number;
    else runs.push([number, number]);
  }
  const parts = runs.flatMap(([from, to]) => {
    if (to > from + 1) return [`${from} to ${to}`];
    return (to > from ? [from, to] : [from]).map((number) => {
      const count = counts.get(number) ?? 1;
      return count > 1 ? `${number} (${count})` : `${number}`;
    });
  });
  const last = parts.at(-1) ?? '';
  const list = parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  return `round${counts.size > 1 ? 's' : ''} ${list}`;
}
