import { ticksOf } from '#domain/plan/playable-ticks.ts';
import type { Kill, Match } from './match.ts';

/**
 * A kill that decides a round ends it within some ticks. After a longer time something else ended it: the clock, the
 * bomb, a defuse. The value is wide, because a few seconds too many of an announcement are the smaller error.
 */
const DECIDED_WITHIN_SECONDS = 1;

/** Whether a kill was the last before its round was decided, decided it, and did so for the killer's side. */
export function endsRound(match: Match, kill: Kill): boolean {
  const { endTick = null, winner = null } = match.rounds.find(({ number }) => number === kill.round) ?? {};
  if (endTick === null || kill.tick > endTick) return false;
  if (kill.tick < endTick - ticksOf(match, DECIDED_WITHIN_SECONDS)) return false;
  if (winner !== null && kill.attackerTeam !== null && winner !== kill.attackerTeam) return false;
  const { round, tick, victimTeam } = kill;
  return !match.kills.some(
    (other) => other.round === round && other.victimTeam === victimTeam && other.tick > tick && other.tick <= endTick,
  );
}
