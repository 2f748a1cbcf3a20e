import { playerAt } from '#scene/match/player-state.ts';
import type { FreeBytes } from '../../../machine/work-dir.ts';
import type { Match } from '../../../match/match.ts';
import type { CaptureRequest } from '../../capture.ts';
import { RecordingFailure } from '../game/console-faults.ts';
import type { GameState } from '../game/game-state.ts';
import { checkRoom } from './footage-files.ts';
import { aimCommands, filmFrames, planRecordedShots, type RecordedShot } from './plan-recording.ts';

/** How a take went: the camera was on the player throughout, left them for a time, or never was on them. */
export type CameraVerdict = 'held' | 'drifted' | 'missed';

/** Whom the camera showed instead of the player (null for nobody), and for how many ticks at least. */
export interface Drift {
  readonly steamId: string | null;
  readonly ticks: number;
}

/** Keeps the game's camera on one player during a take, and records whether it was. */
export interface CameraKeeper {
  /** Resolves once the game has reported the player. Later reports are of the take. */
  readonly found: Promise<void>;
  /** Whether the game has reported anybody. */
  isReported(): boolean;
  /** Playback has reached this tick. */
  at(tick: number): void;
  /**
   * The take ended in that second. Reports are late, so they count until one is of a later second. Then this resolves.
   */
  over(second: number): Promise<void>;
  /** Returns the verdict. The camera is not set any more. */
  finish(): { readonly verdict: CameraVerdict; readonly drifts: readonly Drift[] };
}

export interface CameraTarget {
  readonly steamId: string;
  /** The commands that put the camera on the player. */
  readonly commands: readonly string[];
  /** Whether the player is alive around a tick. A dead player has no view, so the game rightly shows another one. */
  readonly isAlive: (tick: number) => boolean;
  /** The ticks that playback may be ahead of the last known one. */
  readonly lead: number;
}

/**
 * Keeps the camera on the player: cameras that drift are the most reported fault of all recorders. Each report of
 * another player, while the target lives, sets the camera again and makes the take faulty, because the game reports
 * each change. Reports and console lines come by two ways and overtake each other, so only reports decide; ticks are
 * estimates. A report of another player that precedes the tick of the target's death is like one of a drift; but after
 * a drift the target is reported again.
 *
 * `isAimed`: the camera was set long ago, so other players count even before the first report of the target. `after`:
 * reports of this second and earlier ones are from before the camera was set, and do not count, however late they come.
 */
export function keepCamera(
  gameState: Pick<GameState, 'onReport'>,
  send: (command: string) => void,
  target: CameraTarget,
  startTick: number,
  { isAimed = false, after = -Infinity }: { readonly isAimed?: boolean; readonly after?: number | undefined } = {},
): CameraKeeper {
  const found = Promise.withResolvers<void>();
  const caughtUp = Promise.withResolvers<void>();
  const drifts: { steamId: string | null; from: number; to: number }[] = [];
  let tick = startTick;
  let overAt = Infinity;
  let isReported = false;
  let isFound = false;
  let isDrifting = false;
  /** The drifts after which the target was reported. */
  let ended = 0;

  const unsubscribe = gameState.onReport((steamId, second) => {
    isReported = true;
    if (second !== null && second <= after) return;
    if (second !== null && second > overAt) {
      caughtUp.resolve();
      return;
    }
    const last = isDrifting ? drifts.at(-1) : undefined;
    if (last !== undefined) last.to = tick;
    isDrifting = false;
    if (steamId === target.steamId) {
      isFound = true;
      ended = drifts.length;
      found.resolve();
    } else if (target.isAlive(tick)) {
      target.commands.forEach(send);
      isDrifting = isFound || isAimed;
      if (isDrifting && last?.steamId !== steamId) drifts.push({ steamId, from: tick, to: tick });
    }
  });
  return {
    found: found.promise,
    isReported: () => isReported,
    at(now) {
      tick = now;
    },
    over(second) {
      overAt = second;
      return caughtUp.promise;
    },
    finish() {
      unsubscribe();
      const counted = drifts.filter(({ from }, index) => index < ended || target.isAlive(from + target.lead));
      const seen = counted.map(({ steamId, from, to }) => ({ steamId, ticks: Math.max(1, to - from) }));
      return { verdict: seen.length > 0 ? 'drifted' : isFound ? 'held' : 'missed', drifts: seen };
    },
  };
}

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
function refuseMoves(match: Match, shots: readonly RecordedShot[]): void {
  for (const [index, { shot, startTick, endTick }] of shots.entries()) {
    const seats = match.players[shot.pov]?.seats ?? [];
    const moves = seats.some(
      ({ sinceTick }) =>
        sinceTick > startTick && sinceTick < endTick && playerAt(match, shot.pov, sinceTick)?.alive === true,
    );
    if (moves) throw new RecordingFailure('render_failed', `shot ${index + 1}: the player changes his slot amid it`);
  }
}

/**
 * Returns the recordable part of each shot of a request, if there is room for the footage of all.
 *
 * @throws {RecordingFailure} `render_failed` for a shot that cannot be recorded, `cs2_unavailable` without room.
 */
export async function planRecording(
  { match, shots: wanted, options, workDir }: CaptureRequest,
  free: FreeBytes,
  firstTick?: number,
): Promise<readonly RecordedShot[]> {
  const shots = planRecordedShots(match, wanted, options.fps, firstTick);
  if (shots === null)
    throw new RecordingFailure('render_failed', 'a shot lies too near the end of the demo to be recorded');
  refuseMoves(match, shots);
  await checkRoom(free, workDir, options, filmFrames(shots, match.tickRate));
  return shots;
}
