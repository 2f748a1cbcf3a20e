import { type Context2D, createCanvas, createPath, type Gradient, type Path } from '../canvas.ts';
import { COLOR, teamColor, withAlpha } from '../drawing/theme.ts';
import type { Team } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import { floorsUp, type Moment, onScreen, toScreen } from './moment.ts';

/** Half angle and length of a view cone, in degrees and pixels. */
const CONE = { half: 27, length: 118 };
const POV_CONE = { half: 41, length: 350 };
/** The opacity of a cone at its tip. */
const STRENGTH = 0.55;
const POV_STRENGTH = 0.5;
const TRAIL_SECONDS = 1.5;
const TRAIL_STEPS = 16;

/** A cone with its tip at the origin that opens towards +x, with its light for each team. */
interface Cone {
  readonly path: Path;
  readonly length: number;
  readonly light: Readonly<Record<Team | 'none', Gradient>>;
}

export interface Cones {
  readonly pov: Cone;
  readonly other: Cone;
}

export function createCones(scale: number): Cones {
  return { pov: createCone(POV_CONE, scale), other: createCone(CONE, scale) };
}

function createCone({ half, length }: typeof CONE, scale: number): Cone {
  const path = createPath();
  const angle = (half * Math.PI) / 180;
  path.moveTo(0, 0);
  path.arc(0, 0, length * scale, -angle, angle);
  path.closePath();
  const ctx = createCanvas(1, 1).getContext('2d');
  const light = (color: string): Gradient => {
    const gradient = ctx.createRadialGradient(0, 0, 8 * scale, 0, 0, length * scale);
    gradient.addColorStop(0, color);
    gradient.addColorStop(0.45, withAlpha(color, 0.38));
    gradient.addColorStop(1, withAlpha(color, 0));
    return gradient;
  };
  const colors = { CT: light(teamColor('CT')), T: light(teamColor('T')), none: light(COLOR.muted) };
  return { path, length: length * scale, light: colors };
}

/** Paints the point-of-view player's recent path and each player's view cone, below all markers. */
export function paintCones(ctx: Context2D, moment: Moment, cones: Cones): void {
  paintTrail(ctx, moment);
  for (const [player, state] of moment.players.entries()) {
    if (state?.alive !== true) continue;
    const at = toScreen(moment, state);
    const isPov = player === moment.shot.pov;
    const cone = isPov ? cones.pov : cones.other;
    const shown = moment.visibility[player] ?? 0;
    // A player on another floor has no cone on this one.
    if (floorsUp(moment, state.z) !== 0) continue;
    if (!onScreen(moment, at, cone.length) || (shown <= 0.02 && !moment.options.xray)) continue;
    ctx.save();
    ctx.translate(at.x, at.y);
    ctx.rotate((-state.yaw * Math.PI) / 180);
    ctx.globalAlpha = isPov ? POV_STRENGTH : STRENGTH * Math.max(shown, 0.3);
    ctx.fillStyle = cone.light[state.team ?? 'none'];
    ctx.fill(cone.path);
    ctx.restore();
  }
}

function paintTrail(ctx: Context2D, moment: Moment): void {
  const { shot, match, scale } = moment;
  const state = moment.players[shot.pov];
  if (state?.alive !== true) return;
  ctx.lineCap = 'butt';
  ctx.strokeStyle = teamColor(state.team);
  let from = toScreen(moment, state);
  for (let i = 1; i <= TRAIL_STEPS; i++) {
    const past = playerAt(match, shot.pov, moment.tick - (i / TRAIL_STEPS) * TRAIL_SECONDS * match.tickRate);
    if (past?.alive !== true) break;
    const to = toScreen(moment, past);
    if (Math.hypot(to.x - from.x, to.y - from.y) > 80 * scale) break;
    ctx.globalAlpha = (1 - i / TRAIL_STEPS) ** 1.5;
    ctx.lineWidth = (7 - (5 * i) / TRAIL_STEPS) * scale;
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
    ctx.stroke();
    from = to;
  }
  ctx.globalAlpha = 1;
}
