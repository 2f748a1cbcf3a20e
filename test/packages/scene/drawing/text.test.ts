import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { drawableName, fitText } from '#scene/drawing/text.ts';
import { hashOf } from '../../render-host/frame-checks.ts';

describe('names', () => {
  it('lose what cannot be drawn or would disturb what is around it', () => {
    expect(drawableName('\u202eab\ue000c\u200b')).toBe('abc');
    expect(drawableName(`a${'\u0301'.repeat(9)}`)).toBe('á\u0301');
    expect(drawableName('Việt Нийлэ 한글')).toBe('Việt Нийлэ 한글');
    expect(drawableName('  two\n words ')).toBe('two words');
    expect(drawableName('\u200b')).toBe('?');
  });

  it('are shortened at whole letters until they fit', () => {
    useHostCanvas();
    const ctx = createCanvas(1, 1).getContext('2d');
    ctx.font = font(FONT.text, 20);
    const fitted = fitText(ctx, '👩‍👩‍👧‍👦'.repeat(30), 120);
    expect(ctx.measureText(fitted).width).toBeLessThanOrEqual(120);
    expect(fitted).toMatch(/^(👩‍👩‍👧‍👦)+…$/u);
    expect(fitText(ctx, 'short', 120)).toBe('short');
  });

  it.each([
    ['Latin', 'Łukasz Ñandú'],
    ['Cyrillic', 'Маяк Нийлэ'],
    ['Greek', 'Ελλάδα Ώρα'],
    ['Chinese', '你好世界玩家龙'],
    ['Japanese', 'こんにちは黒沢カタカナ'],
    ['Korean', '안녕하세요 선수 뷁'],
    ['Arabic', 'مرحبا بالعالم'],
    ['emoji', '🎯🔥👨‍👩‍👧🇩🇪👍🏽🏳️‍🌈❤️‍🔥'],
  ])('in %s have a glyph for each letter', (_, name) => {
    useHostCanvas();
    for (const face of [FONT.text, FONT.display]) {
      const value = font(face, 40, name);
      const missing = inkOf('\ue123', value);
      const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name)];
      for (const { segment } of letters.filter(({ segment }) => segment !== ' ')) {
        expect([missing, inkOf(' ', value)], segment).not.toContain(inkOf(segment, value));
      }
    }
  });

  it.each(['👨‍👩‍👧‍👦', '👩‍🚀', '👍🏽', '🏴‍☠️', '🇩🇪'])('have %s as one sign, also within other names', (sign) => {
    useHostCanvas();
    const ctx = createCanvas(1, 1).getContext('2d');
    const name = drawableName(`Ace ${sign} 玩家 🔥`);
    ctx.font = font(FONT.text, 40, name);
    const one = ctx.measureText('🔥').width;
    expect(ctx.measureText(sign).width).toBeCloseTo(one, 1);
    expect(ctx.measureText(name).width - ctx.measureText(`Ace  玩家 🔥`).width).toBeCloseTo(one, 1);
  });

  it.each(['🏳️‍🌈', '❤️‍🔥'])('have %s, which the font cannot join, as its two signs side by side', (sign) => {
    useHostCanvas();
    const ctx = createCanvas(1, 1).getContext('2d');
    const name = drawableName(sign);
    ctx.font = font(FONT.text, 40, name);
    const both = ctx.measureText(name).width;
    ctx.font = font(FONT.text, 40, '🔥');
    expect(name).toBe(sign);
    expect(both).toBeGreaterThan(1.5 * ctx.measureText('🔥').width);
  });

  it('have a dot for a letter that no font has', () => {
    // Linear A, which is undeciphered, so that no machine has it.
    expect(drawableName('a\u{10600}\u{10601} b')).toBe('a·· b');
  });

  it('look the same whatever was drawn before', () => {
    useHostCanvas();
    const before = font(FONT.text, 20, '玩家');
    font(FONT.text, 20, 'こんにちは 안녕');
    expect(font(FONT.text, 20, '玩家')).toBe(before);
    expect(font(FONT.text, 20, 'Juniper')).toBe(font(FONT.text, 20));
  });
});

/** Returns the picture of a text. */
function inkOf(text: string, value: string): string {
  const canvas = createCanvas(160, 60);
  const ctx = canvas.getContext('2d');
  ctx.font = value;
  ctx.fillText(text, 4, 44);
  return hashOf(canvas.data());
}
