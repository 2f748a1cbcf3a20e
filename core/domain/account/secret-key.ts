import { crc32 } from '#domain/lib/file-headers.ts';

/**
 * The kinds of secrets: for an account's API (metered, reserved or test), a render host, the registration of hosts, or
 * the operators' API.
 */
const SECRET_PREFIXES = {
  metered: 'tr_met_',
  reserved: 'tr_res_',
  test: 'tr_test_',
  host: 'tr_host_',
  registration: 'tr_reg_',
  operator: 'tr_op_',
} as const;
export type SecretKind = keyof typeof SECRET_PREFIXES;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** The greatest multiple of 62 in a byte. Higher bytes would make some characters likelier. */
const FAIR_BYTES = 248;

/**
 * Formats a secret as prefix, 32 random characters and a 6-character checksum, so that mistyped secrets are refused
 * without a database query. Returns null if too many random bytes are unusable; 64 practically always suffice.
 */
export function formatSecret(kind: SecretKind, random: Uint8Array): string | null {
  const characters = [...random].filter((byte) => byte < FAIR_BYTES).map((byte) => BASE62.charAt(byte % 62));
  if (characters.length < RANDOM_LENGTH) return null;
  const body = SECRET_PREFIXES[kind] + characters.slice(0, RANDOM_LENGTH).join('');
  return body + checksum(body);
}

/** Returns the kind of a secret by its form; null if it is none. */
export function secretKindOf(text: string): SecretKind | null {
  const body = text.slice(0, -CHECKSUM_LENGTH);
  for (const kind of Object.keys(SECRET_PREFIXES) as SecretKind[]) {
    const prefix = SECRET_PREFIXES[kind];
    if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) continue;
    return text.endsWith(checksum(body)) ? kind : null;
  }
  return null;
}

/** Returns the part of a secret that may be shown later. */
export function secretHint(secret: string): string {
  return `${secret.slice(0, 11)}…${secret.slice(-4)}`;
}

/** CRC-32 (ISO-HDLC) in base 62. */
function checksum(text: string): string {
  let rest = crc32(Array.from(text, (character) => character.charCodeAt(0)));
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = BASE62.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}
