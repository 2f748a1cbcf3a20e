import { roundAt } from '#domain/clip/plan/match.ts';
import {
  type Camera,
  type CameraView,
  createCamera,
  createSeries,
  type Series,
  sampleTicks,
  smoothed,
  zoomLevels,
} from './camera/camera.ts';
import type { Context2D } from './drawing/canvas.ts';
import { layoutOf, scaleOf } from './drawing/layout.ts';
import { COLOR, clamp, type PanelBox, withAlpha } from './drawing/theme.ts';
import { type CaptureOptions, createClipClock, type FrameContent, isBare } from './frames/clip-clock.ts';
import type { MapPlate } from './map/map-plate.ts';
import { createCallouts, createPlates, type KnownMap } from './map/plates.ts';
import { type Levels, readLevels } from './match/levels.ts';
import type { Kill, SceneMatch } from './match/match.ts';
import { playerAt } from './match/player-state.ts';
import { createKillfeed } from './overlays/killfeed.ts';
import { createProgressLine, createRoundBanner } from './overlays/round-banner.ts';
import { createTitleCards } from './overlays/title-card.ts';
import { createLabelLayout, type LabelLayout } from './paint/label-layout.ts';
import type { Moment } from './paint/moment.ts';
import { paintBomb, paintBombWork } from './paint/paint-bomb.ts';
import { createCalloutSprites, createCones, paintCallouts, paintCones } from './paint/paint-cones.ts';
import { paintDamage, paintDeaths } from './paint/paint-deaths.ts';
import { createEffectSprites, paintEffects } from './paint/paint-effects.ts';
import { createHud } from './paint/paint-hud.ts';
import { createGlows, type PlayerSprites, paintPlayers } from './paint/paint-players.ts';
import { paintLocks, paintTracers } from './paint/paint-shots.ts';
import { paintBlind, paintUtility } from './paint/paint-utility.ts';
import { glowSprite, hudPanels, nameSprite, panelOpacity } from './paint/panels.ts';
import type { Shot } from './plan/shot.ts';
import { coverView, createVisibility, type Ground, groundOf } from './visibility.ts';

export interface Scene {
  readonly frameCount: number;
  /**
   * Paints one frame over the whole context. A frame always has the same pixels, in whatever order frames are asked
   * for.
   */
  paint(ctx: Context2D, frame: number, content: FrameContent): void;
}

/** What is computed once for a shot. */
interface PreparedShot {
  readonly shot: Shot;
  readonly camera: Camera;
  readonly visibility: readonly Series[];
  readonly labels: LabelLayout;
  readonly names: PlayerSprites['names'];
  /** The level of the point-of-view player's floor; a fraction while it changes. */
  readonly floor: Series;
}

/** Samples to either side over which a change of floor is blended: a third of a second. */
const FLOOR_SAMPLES = 3;
/** Seconds of darkness at a cut, before and after it. */
const DIP = { out: 0.1, in: 0.22 };

/** Prepares a clip: computes map, cameras and names once, so that painting a frame is cheap. */
export function createScene(
  match: SceneMatch,
  shots: readonly Shot[],
  options: CaptureOptions,
  known: KnownMap | null = null,
): Scene {
  const frame = layoutOf(options);
  const { scale } = frame;
  const clock = createClipClock(shots, match.tickRate, options.fps);
  const ground = match.walked === undefined ? null : groundOf(match, match.walked, scale);
  const levels = ground?.levels ?? readLevels(match);
  const finale = shots.at(-1)?.kills.at(-1) ?? null;
  const preparedShots = shots.map((shot) => prepareShot(match, levels, shot, options, finale, ground));
  const hasHud = !options.onlyDeathnotices;
  const paintKillfeed = createKillfeed(match, shots, { own: options.ownKillfeed, hasHud, ...frame });
  const paintTitle = createTitleCards(match, shots, frame);
  const paintBanner = createRoundBanner(match, shots, frame, hasHud);
  const paintHud = createHud(match, scale);
  const paintProgress = createProgressLine(shots, clock, frame);
  const effects = createEffectSprites(scale);
  const glow = createGlows(scale);
  const cones = createCones(scale);
  const muzzle = glowSprite('#fff1c9', 40 * scale, 1);
  const burst = glowSprite('#ffffff', 130 * scale, 0.9);
  const callouts = ground?.callouts ?? createCalloutSprites(createCallouts(match), scale);
  const plates =
    ground?.plates ??
    createPlates(
      match,
      levels,
      preparedShots.map(({ camera }) => camera.bounds),
      zoomLevels(match)[0] * scale,
      known,
    );

  return {
    frameCount: clock.frameCount,
    paint(ctx, frameIndex, content) {
      const { shotIndex, tick, sinceShotStart, untilShotEnd } = clock.at(frameIndex);
      const prepared = preparedShots[shotIndex];
      if (prepared === undefined) throw new RangeError(`no shot ${shotIndex}`);
      const isCover = content === 'cover';
      const cover = isCover ? coverView(match, prepared.shot, tick, options) : null;
      const view = cover?.view ?? onWholePixels(prepared.camera.at(tick), prepared.shot);
      const moment: Moment = {
        match,
        shot: prepared.shot,
        tick,
        round: roundAt(match, tick),
        options,
        scale,
        view,
        levels,
        players: match.players.map((_, player) => {
          const state = playerAt(match, player, tick);
          return state === null || cover?.isShown(state) === false ? null : state;
        }),
        visibility: prepared.visibility.map((series) => series.at(tick)),
      };
      const layer = (paint: () => void): void => {
        // Pen and font of a layer must not reach the next one.
        ctx.save();
        paint();
        ctx.restore();
      };
      layer(() =>
        paintFloors(ctx, prepared.floor.at(tick), (level) => plates(shotIndex, level, cover?.bounds), view, options),
      );
      const panels = hasHud ? hudPanels(moment.players, prepared.shot.pov, options) : [];
      if (!isBare(content)) layer(() => paintCallouts(ctx, moment, callouts, panels));
      layer(() => paintEffects(ctx, moment, effects));
      layer(() => paintUtility(ctx, moment));
      layer(() => paintBomb(ctx, moment));
      layer(() => paintCones(ctx, moment, cones));
      layer(() => paintLocks(ctx, moment));
      layer(() => paintTracers(ctx, moment, muzzle));
      layer(() => paintDeaths(ctx, moment, burst));
      // A panel of the HUD, or the cover, names the point-of-view player.
      const isNamed = (player: number): boolean =>
        !isCover && (!hasHud || content === 'bare' || player !== prepared.shot.pov);
      layer(() => paintPlayers(ctx, moment, { names: prepared.names, glow }, prepared.labels, isNamed));
      layer(() => paintBlind(ctx, moment));
      layer(() => paintBombWork(ctx, moment));
      if (options.damageTicker && !isCover) layer(() => paintDamage(ctx, moment));
      if (isBare(content)) return;
      const opacityOf = (box: PanelBox): number => panelOpacity(moment, box);
      const isLast = shotIndex === shots.length - 1;
      if (content === 'full') {
        layer(() => paintDip(ctx, options, shotIndex === 0 ? null : sinceShotStart, isLast ? null : untilShotEnd));
      }
      if (hasHud) {
        if (content === 'full')
          layer(() => paintTitle(ctx, shotIndex, sinceShotStart, sinceShotStart + untilShotEnd, opacityOf));
        layer(() => paintHud(ctx, moment));
        if (content !== 'live') layer(() => paintProgress(ctx, frameIndex));
      }
      layer(() => paintBanner(ctx, shotIndex, tick));
      layer(() => paintKillfeed(ctx, shotIndex, tick, opacityOf));
    },
  };
}

/**
 * While the zoom is held, the map is drawn pixel by pixel, so everything on it moves by whole pixels. In slow motion
 * these steps would be visible.
 */
function onWholePixels(view: CameraView, { speeds }: Shot): CameraView {
  if (!view.isHeld) return view;
  if (speeds.some(({ speed }) => speed < 1)) return { ...view, isHeld: false };
  const { x, y, zoom } = view;
  return { ...view, x: Math.round(x * zoom) / zoom, y: Math.round(y * zoom) / zoom };
}

/** Paints the current floor, and the next one above it while the player changes floors. */
function paintFloors(
  ctx: Context2D,
  floor: number,
  plateOf: (level: number) => MapPlate,
  view: CameraView,
  { width, height }: CaptureOptions,
): void {
  const lower = Math.floor(floor);
  plateOf(lower)(ctx, view, width, height);
  if (floor === lower) return;
  ctx.globalAlpha = floor - lower;
  plateOf(lower + 1)(ctx, view, width, height);
}

function prepareShot(
  match: SceneMatch,
  levels: Levels,
  shot: Shot,
  options: CaptureOptions,
  finale: Kill | null,
  ground: Ground | null,
): PreparedShot {
  const scale = scaleOf(options);
  const ofShot = finale !== null && shot.kills.includes(finale) ? finale : null;
  const camera = createCamera(match, shot, options.width, options.height, ofShot);
  const visibility = createVisibility(match, shot, levels);
  const names = match.players.map(({ name }, player) =>
    (ground?.nameOf ?? nameSprite)(name, player === shot.pov, scale),
  );
  const labels = createLabelLayout(match, shot, options, camera, visibility, names);
  const heights = sampleTicks(shot.startTick, shot.endTick).map((tick) => playerAt(match, shot.pov, tick)?.z ?? 0);
  const level = Float64Array.from(heights, levels.levelAt);
  const floor = createSeries(shot.startTick, levels.splits.length === 0 ? level : smoothed(level, FLOOR_SAMPLES));
  return { shot, camera, visibility, labels, names, floor };
}

function paintDip(ctx: Context2D, options: CaptureOptions, sinceCut: number | null, untilCut: number | null): void {
  const coming = sinceCut === null ? 0 : 1 - sinceCut / DIP.in;
  const going = untilCut === null ? 0 : 1 - untilCut / DIP.out;
  const dark = clamp(Math.max(coming, going), 0, 1);
  if (dark === 0) return;
  ctx.fillStyle = withAlpha(COLOR.background, dark * 0.92);
  ctx.fillRect(0, 0, options.width, options.height);
}
