import { createSeries, type Series, sampleTicks, smoothed } from './camera/series.ts';
import { type Levels, readLevels } from './match/levels.ts';
import type { PlayerIndex, SceneMatch } from './match/match.ts';
import { type PlayerState, playerAt, shortTurn } from './match/player-state.ts';
import type { Shot } from './plan/shot.ts';

/** Degrees to either side of a player's view, and units, within which they notice an opponent. */
const VIEW_HALF_ANGLE = 48;
const VIEW_RANGE = 2400;
/** Seconds around a hit between two sides for which the opponent counts as seen, wherever players look. */
const CONTACT_SECONDS = 0.8;
const FADE_SAMPLES = 4;
/** The game's radar is a little late. */
const SIGHT_LATE_SECONDS = 0.25;

/**
 * Computes for each player how visible they are to the point-of-view player's team over the shot, 0 to 1, changing
 * softly. A player is visible if they are on the team's radar or exchange hits with it. If the recording has no radar
 * data, then if they are in the view of a living team mate on the same floor; walls are unknown.
 */
export function createVisibility(match: SceneMatch, shot: Shot, levels: Levels = readLevels(match)): Series[] {
  const ticks = sampleTicks(shot.startTick, shot.endTick);
  const seen = match.players.map(() => new Float64Array(ticks.length));
  const contacts = [...match.hurts, ...match.kills];
  const late = SIGHT_LATE_SECONDS * match.tickRate;
  const sights = match.sights.filter(
    (sight) => sight.startTick - late < shot.endTick && sight.endTick > shot.startTick,
  );
  for (const [i, tick] of ticks.entries()) {
    const states = match.players.map((_, player) => playerAt(match, player, tick));
    const team = states[shot.pov]?.team ?? null;
    const viewers = states.filter((state) => state?.alive && state.team === team);
    const isOnRadar = (player: PlayerIndex): boolean =>
      sights.some(
        (sight) =>
          sight.player === player &&
          sight.startTick - late <= tick &&
          tick < sight.endTick &&
          viewers.includes(states[sight.by] ?? null),
      );
    const isInView = (state: PlayerState): boolean =>
      viewers.some((viewer) => viewer !== null && looksAt(viewer, state) && !levels.isFloorBetween(viewer, state));
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
        (match.sights.length > 0 ? isOnRadar(player) : isInView(state));
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
