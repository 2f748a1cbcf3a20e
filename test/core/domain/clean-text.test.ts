import { describe, expect, it } from 'vitest';
import { cleanLine, cleanName, cutText } from '#domain/clean-text.ts';

describe('a text from outside', () => {
  it.each([
    ['one line', ' a\n\tb\r\n c\u2028d ', 'a b c d'],
    ['without control characters', 'a\u0000\u001bb\u0085c', 'a b c'],
    ['without marks of direction and other invisible ones', '\u202ea\u2066b\u200bc\ufeff', 'abc'],
    ['without halves of characters', 'a\ud83db\udc00c', 'abc'],
    ['without what is no character', 'a\uffffb\u{1fffe}c', 'a b c'],
    ['else what it was', 'Käthe 🎯 小明 مرحبا <b>', 'Käthe 🎯 小明 مرحبا <b>'],
    ['with pictures that are joined to one', 'a👨‍👩‍👧b 🏳️‍🌈 👩🏽‍🚀', 'a👨‍👩‍👧b 🏳️‍🌈 👩🏽‍🚀'],
    ['without what joins nothing', 'a\u200db \u200d👩\u200d\u200d👩 👩\u200d', 'ab 👩👩 👩'],
    ['empty where nothing is left', '\u200b \n', ''],
  ])('is %s', (_, text, clean) => {
    expect(cleanLine(text)).toBe(clean);
  });

  it('is a name of whole characters, without a blank where it is cut', () => {
    expect(cleanName('😀😀😀', 2)).toBe('😀😀');
    expect(cleanName('ab cd', 3)).toBe('ab');
    expect(cleanName('👩‍🚀', 2)).toBe('👩');
    expect(cleanName(' ab ', 9)).toBe('ab');
  });
});

describe('a text that is cut', () => {
  it('has at most as many units, and no half of a character', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcd', 3)).toBe('abc');
    expect(cutText('ab😀', 3)).toBe('ab');
    expect(cutText('ab😀', 4)).toBe('ab😀');
    expect(cutText('a\ud83d', 9)).toBe('a\ufffd');
  });
});
