import type { SKRSContext2D } from '@napi-rs/canvas';
import { easeOut, smoothstep } from '../../../drawing/ease.ts';
import { FONT, font } from '../../../drawing/fonts/fonts.ts';
import { COLOR } from '../../../drawing/theme.ts';
import { playerAt } from '../../../match/player-state.ts';
import { eventsAround, type Moment, onScreen, secondsSince, toScreen } from './moment.ts';

/** How long a number is seen, and the part of the picture right of its victim that it keeps to, at scale 1. */
export const DAMAGE = { seconds: 1.1, left: 18, width: 116, height: 176 };
/** Directions that successive hits fly off to, in degrees above the horizon: no two of a burst lie over each other. */
const FAN = [24, -24, 68, -68, 0];

/** Numbers for the damage the point-of-view player deals, flying off the one he hits; red for the last hit of a kill. */
export function paintDamage(ctx: SKRSContext2D, moment: Moment): void {
  const { match, shot, scale } = moment;
  const own = match.hurts.filter(({ attacker, victim }) => attacker === shot.pov && victim !== shot.pov);
  for (const hurt of eventsAround(moment, own, DAMAGE.seconds)) {
    const victim = playerAt(match, hurt.victim, moment.tick);
    if (victim === null || hurt.damage === 0) continue;
    const at = toScreen(moment, victim);
    if (!onScreen(moment, at, 0)) continue;
    const since = secondsSince(moment, hurt.tick);
    const angle = ((FAN[own.indexOf(hurt) % FAN.length] ?? 0) * Math.PI) / 180;
    const away = (54 + 34 * easeOut(since / 0.5)) * scale;
    const x = at.x + Math.cos(angle) * away;
    const y = at.y - Math.sin(angle) * away;
    const size = (32 + 10 * (1 - easeOut(since / 0.18))) * scale;
    ctx.globalAlpha = 1 - smoothstep(DAMAGE.seconds * 0.6, DAMAGE.seconds, since);
    ctx.font = font(FONT.display, size);
    ctx.textBaseline = 'middle';
    ctx.lineJoin = 'round';
    ctx.lineWidth = 6 * scale;
    ctx.strokeStyle = COLOR.background;
    ctx.strokeText(`${hurt.damage}`, x, y);
    ctx.fillStyle = hurt.healthLeft === 0 ? COLOR.danger : COLOR.ink;
    ctx.fillText(`${hurt.damage}`, x, y);
  }
  ctx.globalAlpha = 1;
}
