import { type PlannedShot, roundAt, type TickSpan } from '#domain/clip/plan/match.ts';
import { isEnemyKill, type Kill, type PlayerIndex, type SceneMatch } from '../match/match.ts';

export type Shot = PlannedShot<Kill>;

/**
 * Returns a shot that follows a player through any span of ticks, in real time. A player that pauses, seeks and slows
 * down draws its frames in any order, with an `fps` of the finest step that it shows.
 */
export function liveShot(match: SceneMatch, { startTick, endTick }: TickSpan, player: PlayerIndex): Shot {
  const kills = match.kills.filter(
    (kill) => kill.attacker === player && isEnemyKill(kill) && kill.tick >= startTick && kill.tick < endTick,
  );
  const round = roundAt(match, startTick)?.number ?? null;
  return { startTick, endTick, pov: player, subject: player, round, kills, speeds: [] };
}

/** Returns the kills that a clip counts, each once, in the order in which they are first shown. */
export function shownKills(shots: readonly Shot[]): Kill[] {
  return [...new Set(shots.flatMap(({ kills }) => kills))];
}
