import type { Context2D } from '../canvas.ts';
import { DAMAGE_SECONDS, flightOf, paintDamageNumber } from '../drawing/damage-numbers.ts';
import type { Hurt, SceneMatch } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import { eventsAround, type Moment, onScreen, secondsSince, toScreen } from './moment.ts';

const STYLE = { from: 54, flight: 34, size: 32, pop: 10 };
/** The area beside a victim that a number stays in, and its distance from them, at scale 1. */
export const DAMAGE_BOX = { near: 18, width: 116, height: 176 };

/** Returns the side of a victim that numbers fly to, away from the attacker: 1 is right, -1 is left. */
export function damageSide(match: SceneMatch, { attacker, victim, tick }: Hurt): 1 | -1 {
  const from = attacker === null ? null : playerAt(match, attacker, tick);
  const to = playerAt(match, victim, tick);
  return from !== null && to !== null && from.x > to.x ? -1 : 1;
}

/**
 * Paints the damage that the shot's subject deals as numbers that fly off the victim; red for the last hit of a kill.
 */
export function paintDamage(ctx: Context2D, moment: Moment): void {
  const { match, shot, scale } = moment;
  const own = match.hurts.filter(({ attacker, victim }) => attacker === shot.subject && victim !== shot.subject);
  for (const hurt of eventsAround(moment, own, DAMAGE_SECONDS)) {
    const victim = playerAt(match, hurt.victim, moment.tick);
    if (victim === null || hurt.damage === 0) continue;
    const at = toScreen(moment, victim);
    if (!onScreen(moment, at, 0)) continue;
    const since = secondsSince(moment, hurt.tick);
    const { x, y } = flightOf(own.indexOf(hurt), since, STYLE, scale);
    paintDamageNumber(ctx, hurt, since, { x: at.x + x * damageSide(match, hurt), y: at.y + y }, STYLE, scale);
  }
  ctx.globalAlpha = 1;
}
