/** The id of account 0 of a player in the public universe (developer.valvesoftware.com/wiki/SteamID). */
const FIRST_PLAYER = 0x0110000100000000n;

/** Returns the 64-bit id of `STEAM_1:1:123` or `[U:1:247]` in decimal digits; null for any other text. */
export function steam64Of(text: string): string | null {
  const [, odd = '0', half, whole] = /^(?:STEAM_[01]:([01]):(\d{1,10})|\[?U:1:(\d{1,10})\]?)$/i.exec(text) ?? [];
  if (half === undefined && whole === undefined) return null;
  const account = whole === undefined ? BigInt(half ?? 0) * 2n + BigInt(odd) : BigInt(whole);
  return account < 2n ** 32n ? String(FIRST_PLAYER + account) : null;
}
