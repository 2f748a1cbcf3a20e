import { roundAt } from '#domain/clip/plan/match.ts';
import { layoutOf } from '../drawing/layout.ts';
import { clamp, smootherstep } from '../drawing/theme.ts';
import { walkedCells } from '../match/levels.ts';
import type { Kill, PlayerIndex, SceneMatch } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import type { Shot } from '../plan/shot.ts';

/**
 * A value over the ticks of a shot. It is computed every `STEP` ticks before drawing starts, so that what depends on
 * past and future (a smooth camera, labels that do not flicker) can be read for each frame alone.
 */
export interface Series {
  at(tick: number): number;
}

/** Ticks between two samples: 16 a second. */
export const STEP = 4;

/** Returns the ticks of the samples from `startTick` to `endTick`. */
export function sampleTicks(startTick: number, endTick: number): number[] {
  const count = Math.ceil((endTick - startTick) / STEP) + 1;
  return Array.from({ length: count }, (_, i) => startTick + i * STEP);
}

/** Reads between samples linearly. Before the first and after the last sample the value stays. */
export function createSeries(startTick: number, samples: Float64Array): Series {
  const last = samples.length - 1;
  return {
    at(tick) {
      const position = Math.min(Math.max((tick - startTick) / STEP, 0), last);
      const i = Math.floor(position);
      const from = samples[i] ?? 0;
      return from + ((samples[Math.min(i + 1, last)] ?? from) - from) * (position - i);
    },
  };
}

/**
 * Reads along a uniform cubic B-spline, for what moves by itself: speed and acceleration change without a step. The
 * curve passes near single samples, and through even ones. Before the first and after the last sample the value stays.
 */
export function createSoftSeries(startTick: number, samples: Float64Array): Series {
  const last = samples.length - 1;
  const inside = (i: number): number => samples[Math.min(Math.max(i, 0), last)] ?? 0;
  const sample = (i: number): number => {
    if (i < 0) return 2 * inside(0) - inside(-i);
    return i > last ? 2 * inside(last) - inside(2 * last - i) : inside(i);
  };
  return {
    at(tick) {
      const position = Math.min(Math.max((tick - startTick) / STEP, 0), last);
      const i = Math.floor(position);
      const t = position - i;
      const rest = 1 - t;
      const sum =
        rest ** 3 * sample(i - 1) +
        (4 - 6 * t * t + 3 * t ** 3) * sample(i) +
        (4 - 6 * rest * rest + 3 * rest ** 3) * sample(i + 1) +
        t ** 3 * sample(i + 2);
      return sum / 6;
    },
  };
}

/**
 * Blurs samples by a raised cosine over `reach` samples to either side. The result is exact where samples have been
 * even for so long. The first and last sample continue beyond the ends.
 */
export function smoothed(samples: Float64Array, reach: number): Float64Array {
  const span = Math.ceil(reach);
  const weights = Array.from({ length: span * 2 + 1 }, (_, i) => 1 + Math.cos((Math.PI * (i - span)) / (span + 1)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const last = samples.length - 1;
  return samples.map((_, i) => {
    let sum = 0;
    for (let k = -span; k <= span; k++) {
      sum += (weights[k + span] ?? 0) * (samples[Math.min(Math.max(i + k, 0), last)] ?? 0);
    }
    return sum / total;
  });
}

/** The part of the world that a frame shows: its centre in game units, and pixels a unit at the picture's own size. */
export interface CameraView {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  /** Whether the zoom is exactly one of the levels that the camera rests at. */
  readonly isHeld: boolean;
}

export interface Camera {
  at(tick: number): CameraView;
  /** The world rectangle that the shot's frames cover. */
  readonly bounds: Bounds;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Bounds {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

const FARTHEST = 0.28;
/**
 * Pixels a unit in a picture 1080 high. The camera rests at the first, and zooms out level by level as far as a fight
 * needs.
 */
const ZOOM_LEVELS = [0.66, 0.54, 0.44, 0.35, FARTHEST] as const;
/** The closest level, for a match in which players walked fewer than `cells` cells, so that they fill the picture. */
const CLOSE = { zoom: 1.32, cells: 200 };
/**
 * A zoom this close to a level (as a ratio) counts as that level: it differs by a thousandth of a pixel, and a held
 * zoom is drawn faster.
 */
const SNAP = 1e-6;
/**
 * Seconds around the moment that needs a level for which it counts, so that the camera does not zoom out and in again.
 */
const HOLD_SECONDS = 1.3;

/** Seconds before and after a kill for which its victim has to be in the picture. */
const BEFORE_KILL = 1.9;
const AFTER_KILL = 1.1;
/** The same around a hit that does not kill. */
const AROUND_HURT = 0.5;
/**
 * The part of the safe area's width and height that the players of a fight fill at most. The rest is for titles and
 * killfeed.
 */
const FILL = { width: 0.52, height: 0.5 };
/**
 * The parts of the safe area's width and height between which the player stays: no panel of the HUD and no usual
 * killfeed is there.
 */
const FREE = { left: 0.23, right: 0.77, top: 0.36, bottom: 0.8 };
/** The same for other shapes, which have no HUD. */
const NARROW = {
  fill: { width: 0.8, height: 0.6 },
  free: { left: 0.12, right: 0.88, top: 0.3, bottom: 0.9 },
};
/** Units that the camera looks ahead of the player, in the direction of their view. */
const LEAD = 190;
/** Seconds that the smoothing reaches to either side. */
const SMOOTH_SECONDS = { move: 1.1, zoom: 0.9 };
/** Units that the player may go after the round is decided before the camera follows. */
const SETTLED_UNITS = 260;
/** How much closer the camera comes around the last kill, as a part, and over how many seconds. */
const BREATH = { depth: 0.075, before: 1.1, after: 1.9 };

/**
 * Creates the camera of a shot. It is on the point-of-view player, a little ahead of their view, and moves early enough
 * to have both them and their next victim in the picture. The path is smoothed over past and future, so nothing jerks.
 * It comes closer for `finale`, the last kill of a clip, and rests once the round is decided.
 */
export function createCamera(
  match: SceneMatch,
  shot: Shot,
  width: number,
  height: number,
  finale: Kill | null = null,
): Camera {
  const ticks = sampleTicks(shot.startTick, shot.endTick);
  const { scale, safe, shift, isWide } = layoutOf({ width, height });
  const [fill, free] = isWide ? [FILL, FREE] : [NARROW.fill, NARROW.free];
  const xs = new Float64Array(ticks.length);
  const ys = new Float64Array(ticks.length);
  const zooms = new Float64Array(ticks.length);
  // The dead are not followed, so the camera waits where a player will be who joins or respawns in the shot.
  const alive = ticks.map((tick) => playerAt(match, shot.pov, tick)).find((state) => state?.alive);
  let anchor: Place = alive ?? { x: 0, y: 0 };
  const targets = targetsOf(match, shot);
  const levels = zoomLevels(match);
  for (const [i, tick] of ticks.entries()) {
    const pov = playerAt(match, shot.pov, tick);
    const yaw = ((pov?.yaw ?? 0) * Math.PI) / 180;
    const isSettled = i > 0 && tick > (roundAt(match, tick)?.endTick ?? Infinity);
    if (pov?.alive === true) anchor = isSettled ? comeAlong(anchor, pov) : { x: pov.x, y: pov.y };
    const points = [{ x: anchor.x, y: anchor.y }];
    if (pov?.alive === true && !isSettled)
      points.push({ x: pov.x + Math.cos(yaw) * LEAD, y: pov.y + Math.sin(yaw) * LEAD });
    for (const target of targets) {
      if (tick < target.from || tick > target.to) continue;
      const state = playerAt(match, target.player, Math.min(tick, target.until));
      if (state !== null) points.push({ x: state.x, y: state.y });
    }
    const box = boundsOf(points);
    const fit = Math.min(
      (safe.width * fill.width) / Math.max(box.maxX - box.minX, 1),
      (safe.height * fill.height) / Math.max(box.maxY - box.minY, 1),
    );
    const zoom = levels.find((level) => level * scale <= fit) ?? FARTHEST;
    zooms[i] = Math.log(zoom);
    const units = { x: safe.width / zoom / scale, y: safe.height / zoom / scale };
    const { x, y } = anchor;
    xs[i] = clamp((box.minX + box.maxX) / 2, x - (free.right - 0.5) * units.x, x + (0.5 - free.left) * units.x);
    ys[i] = clamp((box.minY + box.maxY) / 2, y - (0.5 - free.top) * units.y, y + (free.bottom - 0.5) * units.y);
  }
  const samples = (seconds: number): number => (seconds * match.tickRate) / STEP;
  const x = createSoftSeries(shot.startTick, smoothed(xs, samples(SMOOTH_SECONDS.move)));
  const y = createSoftSeries(shot.startTick, smoothed(ys, samples(SMOOTH_SECONDS.move)));
  const reach = Math.round(samples(HOLD_SECONDS));
  const held = zooms.map((_, i) => Math.min(...zooms.subarray(Math.max(0, i - reach), i + reach + 1)));
  const zoom = createSoftSeries(shot.startTick, smoothed(held, samples(SMOOTH_SECONDS.zoom)));
  const breathAt = (tick: number): number => {
    if (finale === null) return 0;
    const since = (tick - finale.tick) / match.tickRate;
    return BREATH.depth * smootherstep(-BREATH.before, 0, since) * (1 - smootherstep(0, BREATH.after, since));
  };
  const at = (tick: number): CameraView => {
    const exact = Math.exp(zoom.at(tick) + breathAt(tick));
    const level = levels.find((candidate) => Math.abs(exact / candidate - 1) < SNAP);
    const shown = (level ?? exact) * scale;
    const centre = { x: x.at(tick) - shift.x / shown, y: y.at(tick) + shift.y / shown };
    return { ...centre, zoom: shown, isHeld: level !== undefined };
  };
  const corners = ticks.map(at).flatMap((view) => {
    const halfWidth = width / 2 / view.zoom;
    const halfHeight = height / 2 / view.zoom;
    return [
      { x: view.x - halfWidth, y: view.y - halfHeight },
      { x: view.x + halfWidth, y: view.y + halfHeight },
    ];
  });
  return { at, bounds: boundsOf(corners) };
}

/** Returns the levels at which the camera rests in a match, the closest first. */
export function zoomLevels(match: SceneMatch): readonly [number, ...number[]] {
  return walkedCells(match, CLOSE.cells).size < CLOSE.cells ? [CLOSE.zoom, ...ZOOM_LEVELS] : ZOOM_LEVELS;
}

/** Returns a place that follows another, no closer than `SETTLED_UNITS`. */
function comeAlong(from: Place, to: Place): Place {
  const away = Math.hypot(to.x - from.x, to.y - from.y);
  const part = Math.max(0, 1 - SETTLED_UNITS / Math.max(away, 1));
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

interface Target {
  readonly player: PlayerIndex;
  readonly from: number;
  readonly to: number;
  /** The last tick for which this player matters: a victim is where they died, not where they respawn. */
  readonly until: number;
}

function targetsOf(match: SceneMatch, shot: Shot): Target[] {
  const seconds = (count: number): number => count * match.tickRate;
  const targets: Target[] = [];
  const inShot = (tick: number): boolean => tick >= shot.startTick && tick < shot.endTick;
  for (const { tick, attacker, victim } of match.kills) {
    if (!inShot(tick) || attacker === null) continue;
    const other = attacker === shot.pov ? victim : victim === shot.pov ? attacker : null;
    if (other === null) continue;
    targets.push({ player: other, from: tick - seconds(BEFORE_KILL), to: tick + seconds(AFTER_KILL), until: tick - 1 });
  }
  for (const { tick, attacker, victim } of match.hurts) {
    if (!inShot(tick) || attacker !== shot.pov || victim === shot.pov) continue;
    targets.push({
      player: victim,
      from: tick - seconds(AROUND_HURT),
      to: tick + seconds(AROUND_HURT),
      until: tick - 1,
    });
  }
  return targets;
}

/** Returns the smallest rectangle around points. */
export function boundsOf(points: readonly Place[]): Bounds {
  const bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  for (const { x, y } of points) {
    bounds.minX = Math.min(bounds.minX, x);
    bounds.minY = Math.min(bounds.minY, y);
    bounds.maxX = Math.max(bounds.maxX, x);
    bounds.maxY = Math.max(bounds.maxY, y);
  }
  return bounds;
}
