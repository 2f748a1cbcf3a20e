import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IsOpaque, scanJson } from '#http/json-text.ts';

const isExtras: IsOpaque = (path) => path.length === 1 && path[0] === 'extras';
const duplicateIn = (text: string) => scanJson(text, isExtras).duplicate;
const extrasOf = (text: string) => scanJson(text, isExtras).opaque.get('extras') ?? null;

describe('a scan of a JSON text', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":2,"\\u0061":3}', 'a'],
    ['{"a":{"b":[{},{"c":1,"c":1}]}}', 'a.b[1].c'],
    ['[[{"x":1}],{"x":1,"y":"}","x":1}]', '[1].x'],
    ['{"extras":1,"extras":1}', 'extras'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"inner":{"extras":{"a":1,"a":1}}}', 'inner.extras.a'],
  ])('finds the repeated field of %s', (text, path) => {
    expect(duplicateIn(text)).toBe(path);
  });

  it.each([
    ['{"a":{"a":{"a":1}},"b":["a","a"]}'],
    ['[{"a":1},{"a":1}]'],
    ['{"a":"b\\",\\"a","b":"\\\\"}'],
    ['{"extras":{"a":1,"a":2}}'],
    ['"a"'],
    ['[]'],
  ])('finds nothing to object to in %s', (text) => {
    expect(duplicateIn(text)).toBeNull();
  });

  it.each([
    ['{"extras": 12345678901234567890 }', '12345678901234567890'],
    ['{"a":1,"extras":[1.0, -0 ,\n1e400],"b":{}}', '[1.0,-0,1e400]'],
    ['{"extras":{"__proto__" : {"a": "b  c"}}}', '{"__proto__":{"a":"b  c"}}'],
    ['{"extras":"\\ud800\\u00e9 :,"}', '"\\ud800\\u00e9 :,"'],
    ['{"extras":null}', 'null'],
    ['{"\\u0065xtras":false}', 'false'],
    ['{"extras":{"extras":{"extras":[]}}}', '{"extras":{"extras":[]}}'],
  ])('hands out the opaque field of %s as it was sent', (text, extras) => {
    expect(extrasOf(text)).toBe(extras);
  });

  it.each([['{}'], ['{"a":{"extras":1}}'], ['["extras",1]'], ['[{"extras":1}]'], ['"extras"']])(
    'finds no opaque field in %s',
    (text) => {
      expect(extrasOf(text)).toBeNull();
    },
  );

  it('hands out each field that is opaque, by its path, and looks into all others', () => {
    const isOpaque: IsOpaque = (path) => path.length === 3 && path[2] === 'extras';
    const text = '{"clips":[{"extras": 1.0,"extra":{"extras":[2]}},{"fps":30},{"extras":{"a":1,"a":{}}, "b":2}]}';
    const found = { 'clips[0].extras': '1.0', 'clips[2].extras': '{"a":1,"a":{}}' };
    expect(scanJson(text, isOpaque)).toEqual({ duplicate: null, opaque: new Map(Object.entries(found)) });
    expect(scanJson('{"clips":[{"extras":1,"extras":2}]}', isOpaque).duplicate).toBe('clips[0].extras');
  });

  it('takes any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(extrasOf(`{"a":${deep},"extras":${deep}}`)).toBe(deep);
    const nested = '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000);
    expect(extrasOf(`{"b":${nested},"extras":${nested}}`)).toBe(nested);
  });

  it('gives what JSON.stringify writes, however the text was spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (extras, others) => {
        const spaced = JSON.stringify({ ...others, extras, z: 1 }, null, 2);
        expect([duplicateIn(spaced), extrasOf(spaced)]).toEqual([null, JSON.stringify(extras)]);
      }),
    );
  });
});
