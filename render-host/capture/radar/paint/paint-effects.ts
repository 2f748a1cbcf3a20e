import type { SKRSContext2D } from '@napi-rs/canvas';
import { easeOut, smoothstep } from '../../../drawing/ease.ts';
import { COLOR } from '../../../drawing/theme.ts';
import type { MapEffect } from '../../../match/match.ts';
import { type Moment, onScreen, type Point, secondsSince, toScreen } from './moment.ts';
import { cloudSprite, glowSprite, type Sprite } from './sprites.ts';

/** Radius on the ground in game units: smoke and fire as the game has them, blasts as far as they matter. */
const RADIUS = { smoke: 144, fire: 130, flash: 330, explosion: 300 };
/** How long a blast is seen, in seconds. */
const BLAST_SECONDS = 0.55;
/** Largest radius of a cloud, in pixels of a picture 1080 high, at the nearest zoom. */
const CLOUD_PIXELS = 112;

export interface EffectSprites {
  readonly smoke: Sprite;
  readonly fire: Sprite;
  readonly flash: Sprite;
  readonly explosion: Sprite;
}

export function createEffectSprites(scale: number): EffectSprites {
  return {
    smoke: cloudSprite('#8e9aa6', '#c3ccd5', CLOUD_PIXELS * scale),
    fire: cloudSprite('#e2541f', '#ffb347', CLOUD_PIXELS * scale),
    flash: glowSprite('#ffffff', 200 * scale, 0.95),
    explosion: glowSprite('#ffb066', 200 * scale, 0.9),
  };
}

/** What grenades leave on the ground below the players. */
export function paintEffects(ctx: SKRSContext2D, moment: Moment, sprites: EffectSprites): void {
  for (const effect of moment.match.effects) {
    const since = secondsSince(moment, effect.startTick);
    const left = -secondsSince(moment, effect.endTick);
    if (since < 0 || (left < 0 && since > BLAST_SECONDS)) continue;
    const at = toScreen(moment, effect);
    if (!onScreen(moment, at, 400 * moment.scale)) continue;
    paintEffect(ctx, moment, sprites, effect, at, since, left);
  }
  ctx.globalAlpha = 1;
}

function paintEffect(
  ctx: SKRSContext2D,
  moment: Moment,
  sprites: EffectSprites,
  { kind, x, y }: MapEffect,
  at: Point,
  since: number,
  left: number,
): void {
  const zoom = moment.view.zoom;
  switch (kind) {
    case 'smoke':
      if (left < 0) return;
      ctx.globalAlpha = 0.92 * Math.min(smoothstep(0, 0.5, since), smoothstep(0, 1.2, left));
      place(ctx, sprites.smoke, at, (0.4 + 0.6 * easeOut(since / 0.8)) * RADIUS.smoke * zoom, 1.25, x + since * 0.05);
      return;
    case 'fire': {
      if (left < 0) return;
      const flicker = 0.8 + 0.12 * Math.sin(since * 17 + x) + 0.08 * Math.sin(since * 29 + y);
      ctx.globalAlpha = flicker * Math.min(smoothstep(0, 0.3, since), smoothstep(0, 0.6, left));
      place(ctx, sprites.fire, at, RADIUS.fire * zoom, 1.25, y + Math.sin(since * 3) * 0.06);
      return;
    }
    case 'flash':
    case 'explosion': {
      const t = since / BLAST_SECONDS;
      ctx.globalAlpha = (1 - smoothstep(0.1, 1, t)) * 0.95;
      place(ctx, sprites[kind], at, RADIUS[kind] * zoom * (0.35 + 0.65 * easeOut(t * 1.6)), 1, 0);
      ring(ctx, at, RADIUS[kind] * zoom * easeOut(t), kind === 'flash' ? '#ffffff' : COLOR.fire, 3 * moment.scale);
      return;
    }
    case 'decoy':
      if (left > 0) ring(ctx, at, 24 * moment.scale, COLOR.muted, 2 * moment.scale);
      return;
    case 'bomb':
      return;
  }
}

function place(ctx: SKRSContext2D, sprite: Sprite, at: Point, radius: number, margin: number, turn: number): void {
  const size = radius * 2 * margin;
  ctx.save();
  ctx.translate(at.x, at.y);
  ctx.rotate(turn % (Math.PI * 2));
  ctx.drawImage(sprite.canvas, -size / 2, -size / 2, size, size);
  ctx.restore();
}

function ring(ctx: SKRSContext2D, at: Point, radius: number, color: string, width: number): void {
  ctx.beginPath();
  ctx.arc(at.x, at.y, radius, 0, Math.PI * 2);
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.stroke();
}
