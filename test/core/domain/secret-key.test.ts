import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatSecret, secretHint, secretKindOf } from '#domain/secret-key.ts';

const bytes = (...values: number[]) => Uint8Array.from({ length: 64 }, (_, i) => values[i % values.length] ?? 0);

describe('a secret', () => {
  it('is its prefix, 32 characters and the CRC-32 of both in base 62', () => {
    const body = `tr_met_${'0'.repeat(32)}`;
    expect(formatSecret('metered', bytes(0))).toBe(body + base62(crc32(body), 6));
    expect(formatSecret('host', bytes(61, 62, 123))).toMatch(/^tr_host_(z0z){10}z0.{6}$/);
  });

  it('takes no byte that would make some characters likelier', () => {
    expect(formatSecret('reserved', bytes(248, 249, 255, 247))).toBeNull();
    const fair = Uint8Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 255 : 247));
    expect(formatSecret('reserved', fair)?.slice(7, 39)).toBe('z'.repeat(32));
    expect(formatSecret('reserved', fair.subarray(0, 63))).toBeNull();
  });

  it.each(['metered', 'reserved', 'host'] as const)('of the kind %s is known by its form', (kind) => {
    const secret = formatSecret(kind, bytes(7, 100, 31)) ?? '';
    expect(secretKindOf(secret)).toBe(kind);
    expect(secretKindOf(`${secret}0`)).toBeNull();
    expect(secretKindOf(`x${secret}`)).toBeNull();
    expect(secretKindOf(secret.slice(0, -1))).toBeNull();
    expect(secretKindOf(secret.replace('tr_', 'tx_'))).toBeNull();
  });

  it('that was mistyped is none, wherever the slip is', () => {
    const secret = formatSecret('metered', bytes(7, 100, 31)) ?? '';
    for (let at = 7; at < secret.length; at++) {
      const other = secret.charAt(at) === 'A' ? 'B' : 'A';
      expect(secretKindOf(secret.slice(0, at) + other + secret.slice(at + 1))).toBeNull();
    }
    expect(secretKindOf('')).toBeNull();
  });

  it('that is longer is none, whatever its checksum', () => {
    // The last six characters are the checksum of the rest.
    expect(secretKindOf(`tr_met_${'A'.repeat(33)}1PC2pf`)).toBeNull();
  });

  it('shows only its two ends afterwards', () => {
    expect(secretHint('tr_met_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef123456')).toBe('tr_met_ABCD…3456');
  });
});

function base62(value: number, length: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from({ length }, (_, i) => digits.charAt(Math.floor(value / 62 ** (length - 1 - i)) % 62)).join('');
}
