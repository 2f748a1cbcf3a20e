import type { Context2D } from '../drawing/canvas.ts';
import { beginPolygon, COLOR, strokeRing, teamColor, withAlpha } from '../drawing/theme.ts';
import type { Crosshair, PlayerIndex, Team } from '../match/match.ts';
import type { PlayerState } from '../match/player-state.ts';
import type { LabelLayout } from './label-layout.ts';
import { floorsUp, type Moment, onScreen, type Point, toScreen } from './moment.ts';
import { glowSprite, type Sprite } from './panels.ts';

const RADIUS = 13;
const POV_RADIUS = 17;
/** The context's origin is the player while their marker is painted. */
const MIDDLE = { x: 0, y: 0 };
/** The opacity of a player on another floor. */
const OTHER_FLOOR = 0.42;

export interface PlayerSprites {
  readonly names: readonly Sprite[];
  readonly glow: Readonly<Record<Team, Sprite>>;
}

export function createGlows(scale: number): Record<Team, Sprite> {
  return {
    CT: glowSprite(teamColor('CT'), 78 * scale, 0.6),
    T: glowSprite(teamColor('T'), 78 * scale, 0.6),
  };
}

/**
 * Paints each player's marker (a disc for CT, a diamond for T) with their health around it, then the names above all
 * markers.
 */
export function paintPlayers(
  ctx: Context2D,
  moment: Moment,
  sprites: PlayerSprites,
  labelOf: LabelLayout,
  isNamed: (player: PlayerIndex) => boolean,
): void {
  const { shot, scale } = moment;
  const order = moment.players.map((_, player) => player).filter((player) => player !== shot.pov);
  for (const player of [...order, shot.pov]) paintMarker(ctx, moment, sprites, player);
  for (const [player, state] of moment.players.entries()) {
    const sprite = sprites.names[player];
    const place = state?.alive === true && isNamed(player) ? labelOf(player, moment.tick) : null;
    if (place === null || state === null || state === undefined || sprite === undefined) continue;
    const at = toScreen(moment, state);
    if (!onScreen(moment, at, 20 * scale)) continue;
    const onOther = floorsUp(moment, state.z) !== 0;
    ctx.globalAlpha = place.alpha * (player === shot.pov ? 1 : onOther ? OTHER_FLOOR : 0.94);
    ctx.drawImage(sprite, at.x + place.dx - sprite.width / 2, at.y + place.dy - sprite.height / 2);
  }
  ctx.globalAlpha = 1;
}

function paintMarker(ctx: Context2D, moment: Moment, sprites: PlayerSprites, player: PlayerIndex): void {
  const state = moment.players[player];
  if (state?.alive !== true) return;
  const { scale, shot, options } = moment;
  const at = toScreen(moment, state);
  if (!onScreen(moment, at, 60 * scale)) return;
  const isPov = player === shot.pov;
  const color = teamColor(state.team);
  const up = floorsUp(moment, state.z);
  const seen = (isPov ? 1 : (moment.visibility[player] ?? 0)) * (up === 0 ? 1 : OTHER_FLOOR);
  if (up !== 0 && seen > 0.02) paintFloorSign(ctx, at, up, scale, color);
  if (seen < 0.98 && (up === 0 || seen < 0.02))
    paintUnseen(ctx, moment, state, at, options.xray ? 1 - seen : (1 - seen) * 0.45);
  if (seen < 0.02) return;
  const radius = (isPov ? POV_RADIUS : RADIUS) * scale;
  if (isPov && state.team !== null) {
    const glow = sprites.glow[state.team];
    ctx.drawImage(glow, at.x - glow.width / 2, at.y - glow.height / 2);
  }
  ctx.save();
  ctx.globalAlpha = seen;
  ctx.translate(at.x, at.y);
  paintHealth(ctx, state.health, radius + 6 * scale, scale, isPov ? COLOR.ink : color);
  ctx.save();
  ctx.rotate((-state.yaw * Math.PI) / 180);
  markerShape(ctx, state.team, radius);
  ctx.fillStyle = color;
  ctx.strokeStyle = isPov ? COLOR.ink : withAlpha(COLOR.background, 0.9);
  ctx.lineWidth = (isPov ? 3.4 : 2.4) * scale;
  ctx.fill();
  ctx.stroke();
  // An arrow head, in the direction of the view.
  const [back, wide] = [-radius * 0.46, radius * 0.5];
  beginPolygon(ctx, [radius * 0.74, 0], [back, wide], [-radius * 0.16, 0], [back, -wide]);
  ctx.fillStyle = isPov ? COLOR.ink : COLOR.background;
  ctx.fill();
  ctx.restore();
  ctx.restore();
}

/** Paints an arrow beside the marker of a player above (1) or below (-1) the floor that is drawn. */
function paintFloorSign(ctx: Context2D, { x, y }: Point, up: number, scale: number, color: string): void {
  const [left, rise] = [x + 23 * scale, up * 6 * scale];
  beginPolygon(ctx, [left, y + rise], [left + 7 * scale, y - rise], [left + 14 * scale, y + rise]);
  ctx.lineWidth = 3 * scale;
  ctx.strokeStyle = withAlpha(COLOR.background, 0.9);
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.fill();
}

/** Paints a player whom the point-of-view player's team does not see: an outline with x-ray, a faint shape without. */
function paintUnseen(ctx: Context2D, { scale, options }: Moment, state: PlayerState, at: Point, alpha: number): void {
  ctx.save();
  ctx.globalAlpha = alpha;
  ctx.translate(at.x, at.y);
  ctx.rotate((-state.yaw * Math.PI) / 180);
  markerShape(ctx, state.team, (options.xray ? RADIUS : RADIUS * 0.7) * scale);
  if (options.xray) {
    ctx.fillStyle = withAlpha(teamColor(state.team), 0.2);
    ctx.fill();
    ctx.lineWidth = 3 * scale;
    ctx.strokeStyle = teamColor(state.team);
    ctx.stroke();
    ctx.lineWidth = 1.4 * scale;
    ctx.setLineDash([5 * scale, 5 * scale]);
    strokeRing(ctx, MIDDLE, (RADIUS + 7) * scale);
  } else {
    ctx.fillStyle = teamColor(state.team);
    ctx.fill();
  }
  ctx.restore();
}

function markerShape(ctx: Context2D, team: Team | null, radius: number): void {
  const corner = radius * 1.2;
  if (team === 'T') beginPolygon(ctx, [corner, 0], [0, corner], [-corner, 0], [0, -corner]);
  else {
    ctx.beginPath();
    ctx.arc(0, 0, radius, 0, Math.PI * 2);
  }
}

function paintHealth(ctx: Context2D, health: number, radius: number, scale: number, color: string): void {
  ctx.lineCap = 'butt';
  ctx.lineWidth = 5.4 * scale;
  ctx.strokeStyle = withAlpha(COLOR.background, 0.66);
  strokeRing(ctx, MIDDLE, radius);
  ctx.lineWidth = 3 * scale;
  ctx.strokeStyle = health <= 30 ? COLOR.danger : color;
  strokeRing(ctx, MIDDLE, radius, health / 100);
}

/** How much larger than in the game a crosshair is, if it fits. */
const ENLARGED = 1.5;

/** Paints a crosshair around a place, at most `reach` to each side. */
export function paintCrosshair(ctx: Context2D, crosshair: Crosshair, x: number, y: number, reach: number): void {
  const { color, alpha, length, thickness, gap, outline, dot, isT } = crosshair;
  const half = thickness / 2;
  const start = gap + half;
  const size = Math.min(ENLARGED, reach / (Math.max(start + length, half) + outline));
  const far = -start - length;
  const bars: [x: number, y: number, width: number, height: number][] = [
    [start, -half, length, thickness],
    [far, -half, length, thickness],
    [-half, start, thickness, length],
  ];
  if (!isT) bars.push([-half, far, thickness, length]);
  if (dot) bars.push([-half, -half, thickness, thickness]);
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size, size);
  ctx.globalAlpha *= alpha;
  ctx.fillStyle = '#000000';
  for (const [left, top, width, height] of outline > 0 ? bars : [])
    ctx.fillRect(left - outline, top - outline, width + 2 * outline, height + 2 * outline);
  ctx.fillStyle = color;
  for (const bar of bars) ctx.fillRect(...bar);
  ctx.restore();
}
