import { ROUND_END_REASON, type RoundEndReason, TEAM_NUMBER, type Team } from '#demo-format/game.ts';
import { ticksOf } from '#domain/clip/plan/playable-ticks.ts';
import type { Kill, Match } from './match.ts';

/** The state of the game rules, as far as a recording has it. */
export interface RulesState {
  /** Counts of rounds begun and ended since the server started, modulo 256; null in builds before 2024. */
  readonly starts: number | null;
  readonly ends: number | null;
  /** Rounds on the scoreboard. */
  readonly played: number;
  readonly freeze: boolean;
  readonly warmup: boolean;
  readonly paused: boolean;
  /** The match has ended. */
  readonly over: boolean;
  /** The round is decided, and the next one has not begun. */
  readonly decided: boolean;
  readonly winner: Team | null;
  readonly reason: number;
  /** The length of the round without its freeze time; 0 if unknown. */
  readonly roundSeconds: number;
  /** The server's time at the end of the freeze time; 0 if unknown. */
  readonly liveAtSeconds: number;
}

/** Something in a demo that shows where its rounds are. */
export type RoundSign = { readonly tick: number } & (
  | { readonly kind: 'rules'; readonly state: RulesState }
  | { readonly kind: 'scores'; readonly scores: Readonly<Record<Team, number>> }
  /** At least half of the players spawned at once. */
  | { readonly kind: 'spawns' }
  /** At the end of the freeze time nobody had money, as in a knife round; and after that, the first shot of a gun. */
  | { readonly kind: 'broke' | 'gunfire' }
  /** Native events. */
  | { readonly kind: 'start' | 'freezeEnd' | 'officialEnd' }
  | { readonly kind: 'end'; readonly winner: Team | null; readonly reason: number }
  | { readonly kind: 'warmup' | 'matchBegun' | 'matchStart' | 'matchOver' }
);

/** The game commences: the players are there and the match restarts. Ends no round. */
export const REASON_GAME_COMMENCING = 16;

export function endReasonOf(number: number): RoundEndReason | null {
  const reasons = Object.keys(ROUND_END_REASON) as RoundEndReason[];
  return reasons.find((reason) => ROUND_END_REASON[reason] === number) ?? null;
}

/** Returns the side of a team number; null for another number. */
export function teamOf(number: unknown): Team | null {
  return number === TEAM_NUMBER.T ? 'T' : number === TEAM_NUMBER.CT ? 'CT' : null;
}

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
