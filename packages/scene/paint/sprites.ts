import { type Canvas, createCanvas } from '../canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, withAlpha } from '../drawing/theme.ts';

/**
 * Small pictures that are painted once and drawn many times: a new blur or text layout in each frame would cost more
 * than the rest of the frame.
 */
export type Sprite = Canvas;

/** Returns a player's name with a dark outline, which keeps it legible on any ground. */
export function nameSprite(name: string, isPov: boolean, scale: number): Sprite {
  const size = (isPov ? 27 : 23) * scale;
  const pad = 5 * scale;
  const measure = createCanvas(1, 1).getContext('2d');
  const whole = drawableName(name);
  measure.font = font(isPov ? FONT.display : FONT.text, size, whole);
  const text = fitText(measure, whole, 210 * scale);
  const height = Math.ceil(size * 1.34);
  const canvas = createCanvas(Math.ceil(measure.measureText(text).width + 2 * pad), height);
  const ctx = canvas.getContext('2d');
  ctx.font = measure.font;
  ctx.textBaseline = 'middle';
  ctx.lineJoin = 'round';
  ctx.lineWidth = 5 * scale;
  ctx.strokeStyle = withAlpha(COLOR.background, 0.86);
  ctx.strokeText(text, pad, height * 0.52);
  ctx.fillStyle = isPov ? COLOR.ink : '#dfe7ee';
  ctx.fillText(text, pad, height * 0.52);
  return canvas;
}

/** Returns a soft round glow, strongest in the middle. */
export function glowSprite(color: string, radius: number, strength: number): Sprite {
  const canvas = createCanvas(Math.ceil(radius * 2), Math.ceil(radius * 2));
  const ctx = canvas.getContext('2d');
  const gradient = ctx.createRadialGradient(radius, radius, 0, radius, radius, radius);
  gradient.addColorStop(0, withAlpha(color, strength));
  gradient.addColorStop(0.35, withAlpha(color, strength * 0.5));
  gradient.addColorStop(1, withAlpha(color, 0));
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, radius * 2, radius * 2);
  return canvas;
}

/**
 * Returns a cloud of soft puffs that evenly fills a disc of `radius` pixels, with an uneven rim like smoke or flame.
 */
export function cloudSprite(color: string, core: string, radius: number): Sprite {
  const size = Math.ceil(radius * 2.5);
  const middle = size / 2;
  const canvas = createCanvas(size, size);
  const ctx = canvas.getContext('2d');
  const goldenAngle = Math.PI * (3 - Math.sqrt(5));
  const count = 48;
  for (let i = 0; i < count; i++) {
    const away = radius * 0.76 * Math.sqrt((i + 0.5) / count);
    const puff = radius * (0.36 + 0.1 * Math.sin(i * 2.7));
    const x = middle + Math.cos(i * goldenAngle) * away;
    const y = middle + Math.sin(i * goldenAngle) * away;
    const gradient = ctx.createRadialGradient(x, y, 0, x, y, puff);
    const tone = i % 3 === 0 ? core : color;
    gradient.addColorStop(0, withAlpha(tone, 0.42));
    gradient.addColorStop(0.6, withAlpha(tone, 0.26));
    gradient.addColorStop(1, withAlpha(tone, 0));
    ctx.fillStyle = gradient;
    ctx.fillRect(x - puff, y - puff, puff * 2, puff * 2);
  }
  return canvas;
}
