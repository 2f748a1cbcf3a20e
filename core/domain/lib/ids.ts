const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in its canonical, lower-case form (RFC 9562 section 4). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Writes 16 bytes as a UUID of the given version: 4 for random bytes, 8 for bytes that were computed (RFC 9562 5.8).
 * Version and variant bits replace what the bytes had there.
 */
export function uuidFromBytes(bytes: Uint8Array, version: 4 | 8): string {
  const hex: string[] = [];
  for (let i = 0; i < 16; i++) {
    let byte = bytes[i] ?? 0;
    if (i === 6) byte = (byte & 0x0f) | (version << 4);
    if (i === 8) byte = (byte & 0x3f) | 0x80;
    hex.push(byte.toString(16).padStart(2, '0'));
  }
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/** The id of account 0 of a player in the public universe (developer.valvesoftware.com/wiki/SteamID). */
const FIRST_PLAYER = 0x0110000100000000n;

/** Returns the 64-bit id of `STEAM_1:1:123` or `[U:1:247]` in decimal digits; null for any other text. */
export function steam64Of(text: string): string | null {
  const [, odd = '0', half, whole] = /^(?:STEAM_[01]:([01]):(\d{1,10})|\[?U:1:(\d{1,10})\]?)$/i.exec(text) ?? [];
  if (half === undefined && whole === undefined) return null;
  const account = whole === undefined ? BigInt(half ?? 0) * 2n + BigInt(odd) : BigInt(whole);
  return account < 2n ** 32n ? String(FIRST_PLAYER + account) : null;
}
