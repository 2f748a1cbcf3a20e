import { describe, expect, it } from 'vitest';
import { isUuid, uuidFromBytes } from '#domain/ids.ts';

const BYTES = Uint8Array.from({ length: 16 }, (_, i) => i * 17);

describe('an id', () => {
  it('is a UUID in its canonical form', () => {
    expect(isUuid('00112233-4455-4677-8899-aabbccddeeff')).toBe(true);
    for (const text of [
      '',
      '00112233-4455-4677-8899-aabbccddeefF',
      '00112233445546778899aabbccddeeff',
      ' 00112233-4455-4677-8899-aabbccddeeff',
      '00112233-4455-4677-8899-aabbccddeeff0',
      '0011223-4455-4677-8899-aabbccddeeff',
    ]) {
      expect(isUuid(text)).toBe(false);
    }
  });

  it('is written out of bytes with its version and variant', () => {
    expect(uuidFromBytes(BYTES, 4)).toBe('00112233-4455-4677-8899-aabbccddeeff');
    expect(uuidFromBytes(BYTES, 8)).toBe('00112233-4455-8677-8899-aabbccddeeff');
    expect(uuidFromBytes(new Uint8Array(16).fill(255), 8)).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
    expect(uuidFromBytes(new Uint8Array(3), 4)).toBe('00000000-0000-4000-8000-000000000000');
  });
});
