import type { SKRSContext2D } from '@napi-rs/canvas';
import { DAMAGE_SECONDS, flightOf, paintDamageNumber } from '#scene/drawing/damage-numbers.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Hurt, Match } from '../match/match.ts';

export interface DamageTicker {
  /** Whether a number is visible at `tick` of a shot. */
  isShown(shotIndex: number, tick: number): boolean;
  /** Paints the numbers of a tick next to the crosshair, which is the context's origin. */
  paint(ctx: SKRSContext2D, shotIndex: number, tick: number): void;
}

/** How far from the crosshair numbers reach, in pixels at scale 1. */
export const TICKER_REACH = 220;

const STYLE = { from: 84, flight: 60, size: 34, pop: 12 };

/**
 * Creates the numbers of the damage that the shot's subject deals. They fly off the aim; red for the last hit of
 * a kill.
 */
export function createDamageTicker(match: Match, shots: readonly Shot[], scale: number): DamageTicker {
  const dealt = shots.map(({ subject, startTick, endTick }) =>
    match.hurts.filter(
      ({ attacker, victim, damage, tick }) =>
        attacker === subject && victim !== subject && damage > 0 && tick >= startTick && tick < endTick,
    ),
  );
  const fresh = (shotIndex: number, tick: number): readonly Hurt[] =>
    (dealt[shotIndex] ?? []).filter((hurt) => hurt.tick <= tick && tick - hurt.tick < DAMAGE_SECONDS * match.tickRate);
  return {
    isShown: (shotIndex, tick) => fresh(shotIndex, tick).length > 0,
    paint(ctx, shotIndex, tick) {
      ctx.textAlign = 'center';
      for (const hurt of fresh(shotIndex, tick)) {
        const since = (tick - hurt.tick) / match.tickRate;
        const nth = (dealt[shotIndex] ?? []).indexOf(hurt);
        paintDamageNumber(ctx, hurt, since, flightOf(nth, since, STYLE, scale), STYLE, scale);
      }
      ctx.globalAlpha = 1;
    },
  };
}
