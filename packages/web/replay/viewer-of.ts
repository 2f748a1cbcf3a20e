import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { SceneMatch } from '#scene/match/match.ts';
import { type PlayerState, playerAt } from '#scene/match/player-state.ts';

/**
 * Returns the player through whom a span is seen: the followed one while they live in it, else the one who killed them,
 * a team mate, or anybody who lives, as for a spectator in the game.
 */
export function viewerOf(match: SceneMatch, followed: number, { startTick, endTick }: TickSpan): number {
  const middle = (startTick + endTick) / 2;
  const livesIn = (player: number): boolean =>
    [startTick, middle, endTick].some((tick) => playerAt(match, player, tick)?.alive === true);
  if (livesIn(followed)) return followed;
  const team: PlayerState['team'] = playerAt(match, followed, startTick)?.team ?? null;
  const killer =
    match.kills.findLast(({ victim, tick }) => victim === followed && tick < endTick)?.attacker ?? followed;
  const mate = match.players.findIndex(
    (_, player) => livesIn(player) && playerAt(match, player, startTick)?.team === team,
  );
  const anybody = match.players.findIndex((_, player) => livesIn(player));
  return [killer, mate, anybody].find((player) => player >= 0 && livesIn(player)) ?? followed;
}
