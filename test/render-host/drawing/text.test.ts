import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { FONT, font, registerFonts } from '../../../render-host/drawing/fonts/fonts.ts';
import { drawableName, fitText } from '../../../render-host/drawing/text.ts';

describe('names', () => {
  it('lose what cannot be drawn or would disturb what is around it', () => {
    expect(drawableName('\u202eab\ue000c\u200b')).toBe('abc');
    expect(drawableName(`a${'\u0301'.repeat(9)}`)).toBe('á\u0301');
    expect(drawableName('Việt Нийлэ 한글')).toBe('Việt Нийлэ 한글');
    expect(drawableName('  two\n words ')).toBe('two words');
    expect(drawableName('\u200b')).toBe('?');
  });

  it('are shortened at whole letters until they fit', () => {
    registerFonts();
    const ctx = createCanvas(1, 1).getContext('2d');
    ctx.font = font(FONT.text, 20);
    const fitted = fitText(ctx, '👩‍👩‍👧‍👦'.repeat(30), 120);
    expect(ctx.measureText(fitted).width).toBeLessThanOrEqual(120);
    expect(fitted).toMatch(/^(👩‍👩‍👧‍👦)+…$/u);
    expect(fitText(ctx, 'short', 120)).toBe('short');
  });
});
