import { type Bounds, boundsOf, type CameraView, zoomLevels } from './camera/camera.ts';
import { type CaptureOptions, COVER } from './frames/capture-options.ts';
import type { SceneMatch } from './match/match.ts';
import { playerAt } from './match/player-state.ts';
import type { Point } from './paint/moment.ts';
import type { Shot } from './plan/shot.ts';

export interface CoverView {
  readonly view: CameraView;
  /** The part of the world in it. */
  readonly bounds: Bounds;
  /** Whether a place is where the action is, so that neither text nor killfeed covers a player there. */
  isShown(place: Point): boolean;
}

/**
 * Returns the view of a cover, with the shot's subject and their last victim in the part of it that is for the
 * action; null without the player.
 */
export function coverView(match: SceneMatch, shot: Shot, tick: number, options: CaptureOptions): CoverView | null {
  const { subject, kills } = shot;
  const { width, height } = options;
  const player = playerAt(match, subject, tick);
  if (player === null) return null;
  const kill = kills.findLast((one) => one.tick <= tick);
  const victim = kill === undefined ? null : playerAt(match, kill.victim, kill.tick - 1);
  const fight = boundsOf(victim === null ? [player] : [player, victim]);
  // The place for the action in the frame, in pixels.
  const { left, right, top, bottom } = COVER.action;
  const place = {
    x: (COVER.x + (COVER.size * (left + right)) / 2 - 0.5) * width,
    y: (COVER.y + (COVER.size * (top + bottom)) / 2 - 0.5) * height,
    width: COVER.size * (right - left) * width,
    height: COVER.size * (bottom - top) * height,
  };
  const across = place.width / (fight.maxX - fight.minX);
  const zoom = Math.min((zoomLevels(match)[0] * height) / 1080, across, place.height / (fight.maxY - fight.minY));
  const middle = { x: (fight.minX + fight.maxX) / 2, y: (fight.minY + fight.maxY) / 2 };
  const view = { x: middle.x - place.x / zoom, y: middle.y + place.y / zoom, zoom, isHeld: false };
  const [wide, high] = [width / zoom / 2, height / zoom / 2];
  return {
    view,
    bounds: { minX: view.x - wide, maxX: view.x + wide, minY: view.y - high, maxY: view.y + high },
    isShown: ({ x, y }) =>
      Math.abs(x - middle.x) * zoom < place.width / 2 + 1 && Math.abs(y - middle.y) * zoom < place.height / 2 + 1,
  };
}
