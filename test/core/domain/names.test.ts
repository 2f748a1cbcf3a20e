import { crc32 } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { formatSecret, secretHint, secretKindOf } from '#domain/account/secret-key.ts';
import { isWorkshopMap, mapName, weaponName } from '#domain/clip/names.ts';
import { isUuid, steam64Of, uuidFromBytes } from '#domain/lib/ids.ts';
import { didYouMean } from '#domain/lib/nearest-name.ts';
import { cleanLine, cleanName, cutText } from '#domain/lib/text.ts';

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

describe('a map', () => {
  it.each([
    ['de_dust2', 'Dust II'],
    ['de_nuke', 'Nuke'],
    ['cs_italy', 'Italy'],
    ['fort_de_x', 'Fort De X'],
    ['workshop/3070/de_old_town', 'Old Town'],
    ['ar_shoots', 'Shoots'],
    ['cache', 'Cache'],
    ['an unnamed map', 'An Unnamed Map'],
  ])('calls the map %j as %j', (map, name) => {
    expect(mapName(map)).toBe(name);
  });

  it.each([
    ['workshop/3070/de_old_town', true],
    ['maps/workshop/3070/de_old_town', true],
    ['de_workshop', false],
    ['de_mirage', false],
  ])('%s is of the workshop: %j', (map, expected) => {
    expect(isWorkshopMap(map)).toBe(expected);
  });
});

describe('a weapon', () => {
  test.each([
    ['m4a1', 'M4A4'],
    ['m4a1_silencer', 'M4A1-S'],
    ['m4a1_silencer_off', 'M4A1-S'],
    ['knife_karambit', 'Knife'],
    ['bayonet', 'Knife'],
    ['planted_c4', 'C4'],
    ['new_gun', 'NEW GUN'],
  ])('people call %s %s', (weapon, name) => {
    expect(weaponName(weapon)).toBe(name);
  });
});

describe('a name with a slip', () => {
  const KNOWN = ['PURGE_TOKEN', 'PURGE_ZONE_ID', 'ADMIN_TOKEN', 'LIMIT_JOBS', 'LIMIT_JOBS_DAY', ''];

  it.each([
    ['PURGE_TOKEN', 'PURGE_TOKEN'],
    ['PURGE_TOKN', 'PURGE_TOKEN'],
    ['PURGE_TTOKEN', 'PURGE_TOKEN'],
    ['PURGE_TOKEM', 'PURGE_TOKEN'],
    ['PURGE_ZONEID', 'PURGE_ZONE_ID'],
    ['LIMIT_JOBS_D', 'LIMIT_JOBS'],
    ['LIMIT_JOBS_DA', 'LIMIT_JOBS_DAY'],
    ['ADMIN_TOKENabcd', 'ADMIN_TOKEN'],
    ['ADMIN_TOKENabcde', null],
    ['abcd', null],
    ['purge_token', 'PURGE_TOKEN'],
    ['LIMIT', null],
    ['SOMETHING_ELSE', null],
  ])('%s was meant as %j', (name, meant) => {
    expect(didYouMean(name, KNOWN)).toBe(meant === null ? '' : `: did you mean ${meant}?`);
  });
});

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

describe('a Steam ID', () => {
  /** The example in developer.valvesoftware.com/wiki/SteamID, and an account id of 32 bits. */
  it.each([
    ['STEAM_0:0:11101', '76561197960287930'],
    ['STEAM_1:0:11101', '76561197960287930'],
    ['steam_1:1:19867136', '76561198000000001'],
    ['[U:1:22202]', '76561197960287930'],
    ['U:1:22202', '76561197960287930'],
    ['[U:1:4294967295]', '76561202255233023'],
    ['[U:1:4294967296]', null],
    ['STEAM_0:1:2147483648', null],
    ['aSTEAM_0:1:1', null],
    ['STEAM_0:2:1', null],
    ['STEAM_9:1:1', null],
    ['[G:1:4]', null],
    ['76561198000000001', null],
    ['STEAM_0:1:19867136 ', null],
  ])('the 64-bit id of %s is %s', (text, id) => {
    expect(steam64Of(text)).toBe(id);
  });
});

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
