import type { Match } from '../../../match/match.ts';
import { playerAt } from '../../../match/player-state.ts';
import type { CameraTarget } from './camera-keeper.ts';
import { aimCommands, type RecordedShot } from './plan-recording.ts';

/**
 * Whom the camera is to be kept on in a shot; null where he is dead from its first tick to its last. Reports lag and
 * markers tell the tick four times a second, so he counts as alive around a tick when he lives half a second longer.
 */
export function cameraTarget(match: Match, { shot, startTick, endTick, slot }: RecordedShot): CameraTarget | null {
  const livesAt = (tick: number): boolean => playerAt(match, shot.pov, Math.min(tick, endTick))?.alive === true;
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
