import type { SKRSContext2D } from '@napi-rs/canvas';
import { DAMAGE_SECONDS, flightOf, paintDamageNumber } from '../../../drawing/damage-numbers.ts';
import { playerAt } from '../../../match/player-state.ts';
import { eventsAround, type Moment, onScreen, secondsSince, toScreen } from './moment.ts';

const STYLE = { from: 54, flight: 34, size: 32, pop: 10 };
/** The area to the right of a victim that a number stays in, at scale 1. */
export const DAMAGE_BOX = { left: 18, width: 116, height: 176 };

/**
 * Paints the damage that the point-of-view player deals as numbers that fly off the victim; red for the last hit of a
 * kill.
 */
export function paintDamage(ctx: SKRSContext2D, moment: Moment): void {
  const { match, shot, scale } = moment;
  const own = match.hurts.filter(({ attacker, victim }) => attacker === shot.pov && victim !== shot.pov);
  for (const hurt of eventsAround(moment, own, DAMAGE_SECONDS)) {
    const victim = playerAt(match, hurt.victim, moment.tick);
    if (victim === null || hurt.damage === 0) continue;
    const at = toScreen(moment, victim);
    if (!onScreen(moment, at, 0)) continue;
    const since = secondsSince(moment, hurt.tick);
    const { x, y } = flightOf(own.indexOf(hurt), since, STYLE, scale);
    paintDamageNumber(ctx, hurt, since, { x: at.x + x, y: at.y + y }, STYLE, scale);
  }
  ctx.globalAlpha = 1;
}
