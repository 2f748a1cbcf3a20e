import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it, test } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { ITEM_OF_CLASS } from '#render-host/match/item-classes.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { flightOf, killMarks } from '#scene/drawing/kill-marks.ts';
import { drawableName, fitText } from '#scene/drawing/text.ts';
import { easeOut, lerp, pulse, smoothstep } from '#scene/drawing/theme.ts';
import { drawWeaponGlyph } from '#scene/drawing/weapon-glyphs.ts';
import { buildKill } from '#test/packages/render-host/builders.ts';
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

const STYLE = { from: 50, flight: 30, size: 30, pop: 10 };
const away = ({ x, y }: { x: number; y: number }) => Math.hypot(x, y);

test('a number starts near and comes to rest farther away, larger in a larger picture', () => {
  const path = [0, 0.1, 0.3, 0.5, 1].map((since) => away(flightOf(0, since, STYLE, 1)));
  expect(path.at(0)).toBeCloseTo(50, 9);
  expect(path).toEqual(path.toSorted((a, b) => a - b));
  expect(path.slice(-2)).toEqual([expect.closeTo(80, 9), expect.closeTo(80, 9)]);
  expect(away(flightOf(0, 1, STYLE, 2))).toBeCloseTo(160, 9);
});

test('five hits in a row fly to the right in five directions, up and down by turns, then the first comes again', () => {
  const ends = [0, 1, 2, 3, 4].map((nth) => flightOf(nth, 1, STYLE, 1));
  expect(ends.map(({ y }) => Math.sign(Math.round(y)) + 0)).toEqual([-1, 1, -1, 1, 0]);
  expect(ends.every(({ x }) => x > 0)).toBe(true);
  for (const [i, a] of ends.entries())
    for (const b of ends.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(30);
  expect(flightOf(5, 1, STYLE, 1)).toEqual(ends[0]);
});

test('a value between two ends goes evenly from one to the other, and on', () => {
  expect([0, 0.25, 1, 2].map((t) => lerp(10, 20, t))).toEqual([10, 12.5, 20, 30]);
});

test('a smooth step is level at both ends, in the middle half way, and runs backwards too', () => {
  expect([1, 2, 3, 4, 5].map((value) => smoothstep(2, 4, value))).toEqual([0, 0, 0.5, 1, 1]);
  expect([1, 2, 3, 4, 5].map((value) => smoothstep(4, 2, value))).toEqual([1, 1, 0.5, 0, 0]);
  expect(smoothstep(0, 1, 0.25)).toBeCloseTo(0.15625, 10);
});

test('an eased value starts fast and ends at one', () => {
  expect([-1, 0, 0.5, 1, 2].map(easeOut)).toEqual([0, 0, 0.875, 1, 1]);
});

test('a pulse rises, stays and falls within its length', () => {
  const at = [-0.1, 0, 0.5, 1, 5, 8, 9, 10, 10.1];
  expect(at.map((value) => pulse(value, 10, 1, 2))).toEqual([0, 0, 0.5, 1, 1, 1, 0.5, 0, 0]);
});

test('a kill earns its marks in the game’s order', () => {
  const kill = buildKill({ headshot: true, wallbang: true, noScope: true, throughSmoke: true, attackerBlind: true });
  expect(killMarks(kill)).toEqual({ before: ['blind'], after: ['noScope', 'smoke', 'wallbang', 'headshot'] });
  expect(killMarks(buildKill())).toEqual({ before: [], after: [] });
  expect(killMarks(buildKill({ wallbang: true }))).toEqual({ before: [], after: ['wallbang'] });
  const jump = buildKill({ attackerInAir: true, domination: true, revenge: true });
  expect(killMarks(jump)).toEqual({ before: ['inAir'], after: ['domination', 'revenge'] });
});

useHostCanvas();

test('everything that players carry or throw is drawn as what it is', () => {
  const pixels = (weapon: string): string => {
    const canvas = createCanvas(120, 32);
    drawWeaponGlyph(canvas.getContext('2d'), weapon, 0, 2, 28);
    return canvas.data().toString('base64');
  };
  const unknown = pixels('world');
  const plain = /^(glock|hkp2000|p250|fiveseven|cz75a)$/;
  const drawn = new Map<string, string>();
  for (const item of [...Object.values(ITEM_OF_CLASS), 'knife_karambit', 'inferno', 'planted_c4', 'defuser']) {
    const glyph = pixels(item);
    expect([item, glyph === unknown]).toEqual([item, false]);
    if (plain.test(item)) continue;
    const same = drawn.get(glyph);
    if (same !== undefined)
      expect(`${same} ${item}`).toMatch(/^(c4 planted_c4|g3sg1 scar20|knife knife_karambit|molotov inferno)$/);
    drawn.set(glyph, item);
  }
});
