import {
  type Bounds,
  boundsOf,
  type CameraView,
  createSeries,
  type Series,
  sampleTicks,
  smoothed,
  zoomLevels,
} from './camera/camera.ts';
import { layoutOf } from './drawing/layout.ts';
import { kept } from './drawing/theme.ts';
import { type CaptureOptions, COVER } from './frames/clip-clock.ts';
import { createCallouts, createWholePlates, type Plates } from './map/plates.ts';
import { type Levels, readLevels } from './match/levels.ts';
import type { PlayerIndex, SceneMatch } from './match/match.ts';
import { type PlayerState, playerAt, shortTurn } from './match/player-state.ts';
import type { Point } from './paint/moment.ts';
import { type CalloutSprite, createCalloutSprites } from './paint/paint-cones.ts';
import { nameSprite, type Sprite } from './paint/panels.ts';
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

/** What the scenes of parts of a recording share: all that is the same in the whole of it. */
export interface Ground {
  readonly scale: number;
  readonly levels: Levels;
  readonly plates: Plates;
  readonly callouts: readonly CalloutSprite[];
  /** The same as `nameSprite`, which paints each name once. */
  readonly nameOf: typeof nameSprite;
}

/** The last ground of a recording, by the cells of all of it. */
const grounds = new WeakMap<Uint32Array, Ground>();

/**
 * Returns the ground of a part of a recording, so that a player that goes from part to part computes and paints it
 * once. `scale`: of the picture.
 */
export function groundOf(match: SceneMatch, walked: Uint32Array, scale: number): Ground {
  const known = grounds.get(walked);
  if (known?.scale === scale) return known;
  const levels = readLevels(match);
  const names = new Map<string, Sprite>();
  const ground: Ground = {
    scale,
    levels,
    plates: createWholePlates(match, walked, levels, zoomLevels(match)[0] * scale),
    callouts: createCalloutSprites(createCallouts(match), scale),
    nameOf: (name, isPov) => kept(names, `${isPov} ${name}`, () => nameSprite(name, isPov, scale)),
  };
  grounds.set(walked, ground);
  return ground;
}

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
  const { isWide, scale } = layoutOf(options);
  const { left, right, top, bottom } = isWide ? COVER.action : COVER.narrow;
  const place = {
    x: (COVER.x + (COVER.size * (left + right)) / 2 - 0.5) * width,
    y: (COVER.y + (COVER.size * (top + bottom)) / 2 - 0.5) * height,
    width: COVER.size * (right - left) * width,
    height: COVER.size * (bottom - top) * height,
  };
  const across = place.width / (fight.maxX - fight.minX);
  const zoom = Math.min(zoomLevels(match)[0] * scale, across, place.height / (fight.maxY - fight.minY));
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
