import type { SKRSContext2D } from '@napi-rs/canvas';
import { easeOut, smoothstep } from '../drawing/ease.ts';
import { FONT, font } from '../drawing/fonts/fonts.ts';
import { COLOR } from '../drawing/theme.ts';
import type { Hurt, Match } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';

export interface DamageTicker {
  /** Whether there is a number to see at `tick` of a shot. */
  isShown(shotIndex: number, tick: number): boolean;
  /** Paints the numbers of that tick next to the crosshair, which is the context's origin. */
  paint(ctx: SKRSContext2D, shotIndex: number, tick: number): void;
}

/** How far from the crosshair the numbers reach, to any side, in pixels at scale 1. */
export const TICKER_REACH = 220;

const SECONDS = 1.1;
/** Directions that successive hits fly off to, in degrees above the horizon: no two of a burst lie over each other. */
const FAN = [24, -24, 68, -68, 0];

/** Numbers for the damage that the point-of-view player deals, flying off his aim; red for the last hit of a kill. */
export function createDamageTicker(match: Match, shots: readonly Shot[], scale: number): DamageTicker {
  const dealt = shots.map(({ pov, startTick, endTick }) =>
    match.hurts.filter(
      ({ attacker, victim, damage, tick }) =>
        attacker === pov && victim !== pov && damage > 0 && tick >= startTick && tick < endTick,
    ),
  );
  const fresh = (shotIndex: number, tick: number): readonly Hurt[] =>
    (dealt[shotIndex] ?? []).filter((hurt) => hurt.tick <= tick && tick - hurt.tick < SECONDS * match.tickRate);
  return {
    isShown: (shotIndex, tick) => fresh(shotIndex, tick).length > 0,
    paint(ctx, shotIndex, tick) {
      ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      ctx.lineJoin = 'round';
      ctx.lineWidth = 6 * scale;
      ctx.strokeStyle = COLOR.background;
      for (const hurt of fresh(shotIndex, tick)) {
        const since = (tick - hurt.tick) / match.tickRate;
        const angle = ((FAN[(dealt[shotIndex] ?? []).indexOf(hurt) % FAN.length] ?? 0) * Math.PI) / 180;
        const away = (84 + 60 * easeOut(since / 0.5)) * scale;
        ctx.globalAlpha = 1 - smoothstep(SECONDS * 0.6, SECONDS, since);
        ctx.font = font(FONT.display, (34 + 12 * (1 - easeOut(since / 0.18))) * scale);
        ctx.fillStyle = hurt.healthLeft === 0 ? COLOR.danger : COLOR.ink;
        const x = Math.cos(angle) * away;
        const y = -Math.sin(angle) * away;
        ctx.strokeText(`${hurt.damage}`, x, y);
        ctx.fillText(`${hurt.damage}`, x, y);
      }
      ctx.globalAlpha = 1;
    },
  };
}
