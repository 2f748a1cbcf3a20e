import type { Match } from '../../../match/match.ts';
import { playerAt } from '../../../match/player-state.ts';
import { RecordingFailure } from '../game/failure.ts';
import type { CameraTarget } from './camera-keeper.ts';
import { aimCommands, type RecordedShot } from './plan-recording.ts';

/**
 * Whom the camera is to be kept on in a shot; null where he is dead from its first tick to its last. Reports lag and
 * markers tell the tick four times a second, so he counts as alive around a tick when he lives half a second longer.
 */
export function cameraTarget(match: Match, { shot, startTick, endTick, slot }: RecordedShot): CameraTarget | null {
  // In another seat he is somebody else to the camera: before the shot, or after it. Amid it the take is no good.
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
  };
}

/**
 * Refuses a shot amid which the player, alive, comes to sit in another slot: a camera is told a slot, and would stay
 * where nobody is. Whether the game reports that in time is left to chance; the demo says it beforehand.
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
