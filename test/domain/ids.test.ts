import { describe, expect, it } from 'vitest';
import { counterpartId, isUuid, uuidFromBytes } from '../../domain/ids.ts';

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

  it('of a job and that of its clip lead to each other, and are two UUIDs', () => {
    const clip = counterpartId('00112233-4455-4677-8899-aabbccddeeff');
    expect(clip).toBe('5e0fe5de-4844-4b6b-82c7-d41e2b7cf0a2');
    expect(isUuid(clip)).toBe(true);
    expect(counterpartId(clip)).toBe('00112233-4455-4677-8899-aabbccddeeff');
  });
});
