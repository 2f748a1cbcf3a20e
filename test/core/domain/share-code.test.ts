import { decodeMatchShareCode, encodeMatch } from 'csgo-sharecode';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShareCode } from '#domain/share-code.ts';

const DIGITS = 'ABCDEFGHJKLMNOPQRSTUVWXYZabcdefhijkmnopqrstuvwxyz23456789';
const RUNS = { numRuns: 5000 };
/** Full bytes: the other library writes shorter numbers wrongly. */
const id = fc.bigInt({ min: 1n << 60n, max: (1n << 64n) - 1n });
const grouped = (digits: string) => `CSGO-${digits.match(/.{5}/g)?.join('-')}`;

describe('a share code', () => {
  it('is decoded as the example of csgo-sharecode 5.0.0 says', () => {
    expect(readShareCode('CSGO-GADqf-jjyJ8-cSP2r-smZRo-TO2xK')).toEqual({
      matchId: 3230642215713767580n,
      outcomeId: 3230647599455273103n,
      token: 55788,
    });
  });

  it('that another library encoded is decoded to the same match', () => {
    fc.assert(
      fc.property(id, id, fc.integer({ min: 0, max: 0xffff }), (matchId, outcomeId, token) => {
        const code = encodeMatch({ matchId, reservationId: outcomeId, tvPort: token });
        expect(readShareCode(code)).toEqual({ matchId, outcomeId, token });
      }),
      RUNS,
    );
  });

  it('of random digits is decoded as another library decodes it, or is beyond 18 bytes', () => {
    const digits = fc.array(fc.constantFrom(...DIGITS), { minLength: 25, maxLength: 25 });
    let valid = 0;
    fc.assert(
      fc.property(digits, (all) => {
        const code = grouped(all.join(''));
        const ours = readShareCode(code);
        const number = all.reduceRight((sum, digit) => sum * 57n + BigInt(DIGITS.indexOf(digit)), 0n);
        if (number >= 1n << 144n) return void expect(ours).toMatch(/^names no match/);
        const { matchId, reservationId, tvPort } = decodeMatchShareCode(code);
        if (matchId === 0n || reservationId === 0n) return void expect(ours).toMatch(/^names no match/);
        expect(ours).toEqual({ matchId, outcomeId: reservationId, token: tvPort });
        valid++;
      }),
      RUNS,
    );
    expect(valid).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('without a match or an outcome names no match', () => {
    const encoded = (hex: string) => {
      let rest = BigInt(`0x${hex}`);
      const digits = Array.from({ length: 25 }, () => {
        const digit = DIGITS[Number(rest % 57n)];
        rest /= 57n;
        return digit;
      });
      return grouped(digits.join(''));
    };
    const [none, some] = ['00'.repeat(8), '11'.repeat(8)];
    expect(readShareCode(encoded(`${none}${some}0100`))).toMatch(/^names no match/);
    expect(readShareCode(encoded(`${some}${none}0100`))).toMatch(/^names no match/);
    expect(readShareCode(encoded(`${some}${some}0100`))).toMatchObject({ token: 1 });
  });

  it.each([
    ['', /^must be CSGO and five groups/],
    ['CSGO-U6MWi-hYFWJ-opPwD-JciHm-qOij', /^must be CSGO and five groups/],
    ['CSGO-U6MWi-hYFWJ-opPwD-JciHm-qOijDD', /^must be CSGO and five groups/],
    ['csgo-U6MWi-hYFWJ-opPwD-JciHm-qOijD', /^must be CSGO and five groups/],
    ['CSGO-U6MWihYFWJopPwDJciHmqOijD', /^must be CSGO and five groups/],
    ['CSGO-U6MWi-hYFWJ-opPwD-JciHm-qOijD ', /^must be CSGO and five groups/],
    ['CSGO-U6MWi-hYFWJ-opPwD-JciHm-qOij_', /^must be CSGO and five groups/],
    ['CSGO-U6MW1-hYFWJ-opPwD-JciHm-qOijD', /^contains 1, which is in no share code/],
    ['CSGO-U6MWi-hYFWJ-opPwD-JciHm-qOijg', /^contains g, which is in no share code/],
    ['CSGO-99999-99999-99999-99999-99999', /^names no match/],
    // The number zero, and a token alone.
    ['CSGO-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', /^names no match/],
    ['CSGO-BAAAA-AAAAA-AAAAA-AAAAA-AAAAA', /^names no match/],
  ])('%j is refused with its fault', (code, fault) => {
    expect(readShareCode(code)).toMatch(fault);
  });
});
