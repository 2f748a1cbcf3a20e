import { describe, expect, it } from 'vitest';
import { createRecent } from '#domain/recent.ts';

describe('what is remembered', () => {
  it('is so much and no more, whatever comes', () => {
    const recent = createRecent<number>(1000);
    for (let i = 0; i < 100_000; i++) recent.set(`key ${i}`, i);
    expect(recent.size).toBe(1000);
    expect(recent.get('key 98999')).toBeUndefined();
    expect(recent.get('key 99000')).toBe(99_000);
  });

  it('is what was asked for last', () => {
    const recent = createRecent<string>(2);
    recent.set('a', 'A');
    recent.set('b', 'B');
    expect(recent.get('a')).toBe('A');
    recent.set('c', 'C');
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['A', undefined, 'C']);
    recent.set('a', 'A again');
    recent.delete('c');
    expect([recent.get('a'), recent.get('c'), recent.size]).toEqual(['A again', undefined, 1]);
  });
});
