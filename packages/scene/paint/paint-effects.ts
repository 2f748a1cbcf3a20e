import type { Context2D } from '../drawing/canvas.ts';
import { COLOR, easeOut, smoothstep, strokeRing } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { Flame, MapEffect } from '../match/match.ts';
import { type Moment, onScreen, type Point, secondsSince, toScreen } from './moment.ts';
import { cloudSprite, glowSprite, type Sprite } from './panels.ts';

/** Radius on the ground in game units, as the game has them; a flash as far as it matters. */
const RADIUS = { smoke: 144, fire: 130, flame: 62, flash: 330, explosion: 350, bomb: 1750 };
/** How long a blast is visible, in seconds. */
const BLAST_SECONDS = 0.55;
/** Seconds between two pretended shots of a decoy. */
const DECOY_SECONDS = 0.8;
/** Largest radius of a cloud, in pixels of a picture 1080 high, at the nearest zoom. */
const CLOUD_PIXELS = 112;

export interface EffectSprites {
  readonly smoke: Sprite;
  readonly fire: Sprite;
  readonly flame: Sprite;
  readonly flash: Sprite;
  readonly explosion: Sprite;
}

export function createEffectSprites(scale: number): EffectSprites {
  return {
    smoke: cloudSprite('#bcc6cf', '#eef1f4', CLOUD_PIXELS * scale),
    fire: cloudSprite('#ff8436', '#ffd27a', CLOUD_PIXELS * scale),
    flame: glowSprite('#ffab5c', 60 * scale, 1),
    flash: glowSprite('#ffffff', 200 * scale, 0.95),
    explosion: glowSprite('#ffb066', 200 * scale, 0.9),
  };
}

/** Paints the effects of grenades on the ground, below the players. */
export function paintEffects(ctx: Context2D, moment: Moment, sprites: EffectSprites): void {
  for (const effect of moment.match.effects) {
    const since = secondsSince(moment, effect.startTick);
    const left = -secondsSince(moment, effect.endTick);
    if (since < 0 || (left < 0 && since > BLAST_SECONDS)) continue;
    const at = toScreen(moment, effect);
    if (!onScreen(moment, at, (effect.kind === 'explosion' ? 1200 : 400) * moment.scale)) continue;
    paintEffect(ctx, moment, sprites, effect, at, since, left);
  }
  ctx.globalAlpha = 1;
}

function paintEffect(
  ctx: Context2D,
  moment: Moment,
  sprites: EffectSprites,
  effect: MapEffect,
  at: Point,
  since: number,
  left: number,
): void {
  const { kind, x, y, flames } = effect;
  const zoom = moment.view.zoom;
  switch (kind) {
    case 'smoke':
      if (left < 0) return;
      ctx.globalAlpha = 0.92 * Math.min(smoothstep(0, 0.5, since), smoothstep(0, 1.2, left));
      place(ctx, sprites.smoke, at, (0.4 + 0.6 * easeOut(since / 0.8)) * RADIUS.smoke * zoom, 1.25, x + since * 0.05);
      return;
    case 'fire': {
      if (left < 0) return;
      if (flames !== undefined) {
        for (const flame of flames) paintFlame(ctx, moment, sprites.flame, flame);
        return;
      }
      const flicker = 0.8 + 0.12 * Math.sin(since * 17 + x) + 0.08 * Math.sin(since * 29 + y);
      ctx.globalAlpha = flicker * Math.min(smoothstep(0, 0.3, since), smoothstep(0, 0.6, left));
      place(ctx, sprites.fire, at, RADIUS.fire * zoom, 1.25, y + Math.sin(since * 3) * 0.06);
      return;
    }
    case 'flash':
    case 'explosion': {
      // The bomb's blast begins where and when the bomb ends.
      const isBombs = moment.match.effects.some(
        (other) => other.kind === 'bomb' && other.endTick === effect.startTick && other.x === x && other.y === y,
      );
      const radius = isBombs ? RADIUS.bomb : RADIUS[kind];
      const t = since / BLAST_SECONDS;
      ctx.globalAlpha = (1 - smoothstep(0.1, 1, t)) * 0.95;
      place(ctx, sprites[kind], at, radius * zoom * (0.35 + 0.65 * easeOut(t * 1.6)), 1, 0);
      ctx.strokeStyle = kind === 'flash' ? '#ffffff' : COLOR.fire;
      ctx.lineWidth = 3 * moment.scale;
      strokeRing(ctx, at, radius * zoom * easeOut(t));
      return;
    }
    case 'decoy':
      if (left > 0) paintDecoy(ctx, moment, at, since);
      return;
    case 'bomb':
      return;
  }
}

/** Paints a decoy, with a ring for each of its pretended shots. */
function paintDecoy(ctx: Context2D, { scale }: Moment, at: Point, since: number): void {
  const pulse = (since % DECOY_SECONDS) / DECOY_SECONDS;
  ctx.globalAlpha = (1 - pulse) * 0.9;
  ctx.strokeStyle = COLOR.muted;
  ctx.lineWidth = 2.4 * scale;
  strokeRing(ctx, at, (13 + 24 * easeOut(pulse)) * scale);
  ctx.globalAlpha = 0.9;
  ctx.fillStyle = COLOR.muted;
  const height = 21 * scale;
  drawWeaponGlyph(ctx, 'decoy', at.x - weaponGlyphWidth('decoy', height) / 2, at.y - height / 2, height);
}

/** Paints one flame of a fire: it leaps up, flickers and sinks. */
function paintFlame(ctx: Context2D, moment: Moment, sprite: Sprite, { x, y, startTick, endTick }: Flame): void {
  const since = secondsSince(moment, startTick);
  const left = -secondsSince(moment, endTick);
  if (since < 0 || left < 0) return;
  const flicker = 0.82 + 0.12 * Math.sin(since * 17 + x) + 0.06 * Math.sin(since * 29 + y);
  ctx.globalAlpha = flicker * Math.min(smoothstep(0, 0.25, since), smoothstep(0, 0.5, left));
  const radius = RADIUS.flame * moment.view.zoom * (0.55 + 0.45 * easeOut(since / 0.4));
  place(ctx, sprite, toScreen(moment, { x, y }), radius, 1, 0);
}

function place(ctx: Context2D, sprite: Sprite, at: Point, radius: number, margin: number, turn: number): void {
  const size = radius * 2 * margin;
  ctx.save();
  ctx.translate(at.x, at.y);
  ctx.rotate(turn % (Math.PI * 2));
  ctx.drawImage(sprite, -size / 2, -size / 2, size, size);
  ctx.restore();
}
