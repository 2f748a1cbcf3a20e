import { ticksOf } from '#domain/plan/playable-ticks.ts';
import type { Kill, Match } from './match.ts';

/**
 * A kill that decides a round ends it within some ticks. After a longer time something else ended it: the clock, the
 * bomb, a defuse. The value is wide, because a few seconds too many of an announcement are the smaller error.
 */
const DECIDED_WITHIN_SECONDS = 1;

/** Whether a kill was the last before its round was decided, decided it, and did so for the killer's side. */
export function endsRound(match: Match, kill: Kill): boolean {
  const round = match.rounds.find(({ number }) => number === kill.round);
  const endTick = round?.endTick ?? null;
  if (round === undefined || endTick === null) return false;
  const decidedWithin = ticksOf(match, DECIDED_WITHIN_SECONDS);
  if (kill.tick > endTick || kill.tick < endTick - decidedWithin) return false;
  if (round.winner !== null && kill.attackerTeam !== null && round.winner !== kill.attackerTeam) return false;
  const lastOfTheLosers = match.kills.findLast(
    (other) => other.round === kill.round && other.tick <= endTick && other.victimTeam === kill.victimTeam,
  );
  return lastOfTheLosers === undefined || lastOfTheLosers.tick <= kill.tick;
}
