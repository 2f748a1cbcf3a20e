import { playerAt } from '#scene/match/player-state.ts';
import type { Match } from '../../../match/match.ts';
import { RecordingFailure } from '../game/failure.ts';
import type { CameraTarget } from './camera-keeper.ts';
import { aimCommands, type RecordedShot } from './plan-recording.ts';

/** The frames that a fast machine films in a quarter of a second: after so long, the tick of a report is known. */
const FRAMES_AHEAD = 50;

/**
 * Returns whom the camera has to show in a shot; null if the player is dead throughout. Reports are late, and markers
 * report the tick four times a second, so a player counts as alive for half a second longer on each side.
 */
export function cameraTarget(match: Match, { shot, startTick, endTick, slot, fps }: RecordedShot): CameraTarget | null {
  // The camera follows a slot. A change of seat before or after the shot ends the time; one in the middle makes the
  // shot impossible.
  const seats = match.players[shot.pov]?.seats ?? [];
  const sitsFrom = seats.findLast(({ sinceTick }) => sinceTick <= startTick)?.sinceTick ?? startTick;
  const movesAt = seats.find(({ sinceTick }) => sinceTick >= endTick)?.sinceTick ?? Infinity;
  const livesAt = (tick: number): boolean =>
    tick >= sitsFrom && tick < movesAt && playerAt(match, shot.pov, tick)?.alive === true;
  const steamId = match.players[shot.pov]?.steamId;
  let lives = false;
  for (let tick = startTick; tick <= endTick && !lives; tick++) lives = livesAt(tick);
  if (steamId === undefined || !lives) return null;
  return {
    steamId,
    commands: aimCommands(slot),
    isAlive: (tick) => livesAt(tick) && livesAt(tick + match.tickRate / 2),
    lead: (FRAMES_AHEAD / fps) * match.tickRate,
  };
}

/**
 * Refuses a shot in which the living player changes slots, because the camera follows a slot. The demo shows this
 * before a recording; whether the game reports it in time is left to chance.
 *
 * @throws {RecordingFailure} `render_failed`.
 */
export function refuseMoves(match: Match, shots: readonly RecordedShot[]): void {
  for (const [index, { shot, startTick, endTick }] of shots.entries()) {
    const seats = match.players[shot.pov]?.seats ?? [];
    const moves = seats.some(
      ({ sinceTick }) =>
        sinceTick > startTick && sinceTick < endTick && playerAt(match, shot.pov, sinceTick)?.alive === true,
    );
    if (moves) throw new RecordingFailure('render_failed', `shot ${index + 1}: the player changes his slot amid it`);
  }
}
