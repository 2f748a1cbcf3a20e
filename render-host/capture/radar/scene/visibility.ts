import type { Match, PlayerIndex } from '../../../match/match.ts';
import { type PlayerState, playerAt, shortTurn } from '../../../match/player-state.ts';
import type { Shot } from '../../../plan/shot.ts';
import { createSeries, type Series, sampleTicks, smoothed } from '../camera/series.ts';

/** Degrees to either side of where somebody looks, and units, within which he notices an opponent. */
const VIEW_HALF_ANGLE = 48;
const VIEW_RANGE = 2400;
/** Seconds around a hit between two sides during which the opponent counts as seen, wherever anybody looks. */
const CONTACT_SECONDS = 0.8;
const FADE_SAMPLES = 4;

/**
 * For each player, how far the point-of-view player's team sees him over the shot, 0 to 1, changing softly. A demo has
 * no walls: seen is who stands in a living team mate's view, or who exchanges hits with the team.
 */
export function createVisibility(match: Match, shot: Shot): Series[] {
  const ticks = sampleTicks(shot.startTick, shot.endTick);
  const seen = match.players.map(() => new Float64Array(ticks.length));
  const contacts = [...match.hurts, ...match.kills];
  for (const [i, tick] of ticks.entries()) {
    const states = match.players.map((_, player) => playerAt(match, player, tick));
    const team = states[shot.pov]?.team ?? null;
    const viewers = states.filter((state) => state?.alive === true && state.team === team);
    const inContact = new Set<PlayerIndex>();
    for (const { tick: at, attacker, victim } of contacts) {
      if (Math.abs(at - tick) > CONTACT_SECONDS * match.tickRate) continue;
      inContact.add(victim);
      if (attacker !== null) inContact.add(attacker);
    }
    for (const [player, state] of states.entries()) {
      const samples = seen[player];
      if (samples === undefined || state === null) continue;
      const visible =
        team === null ||
        state.team === team ||
        inContact.has(player) ||
        viewers.some((viewer) => viewer !== null && looksAt(viewer, state));
      samples[i] = visible ? 1 : 0;
    }
  }
  return seen.map((samples) => createSeries(shot.startTick, smoothed(samples, FADE_SAMPLES)));
}

function looksAt(viewer: PlayerState, other: PlayerState): boolean {
  const dx = other.x - viewer.x;
  const dy = other.y - viewer.y;
  if (Math.hypot(dx, dy) > VIEW_RANGE) return false;
  return Math.abs(shortTurn(viewer.yaw, (Math.atan2(dy, dx) * 180) / Math.PI)) < VIEW_HALF_ANGLE;
}
