/** The digits of a share code, which leave out characters that look alike. */
const DIGITS = 'ABCDEFGHJKLMNOPQRSTUVWXYZabcdefhijkmnopqrstuvwxyz23456789';
const FORM = /^CSGO(-[A-Za-z0-9]{5}){5}$/;

/**
 * Decodes a share code of the game. Its 25 digits are a number of 144 bits, the lowest digit first: match id (64 bits),
 * outcome id (64) and token (16), each with its lowest byte first. Returns what is wrong as text.
 */
export function readShareCode(code: string): { matchId: bigint; outcomeId: bigint; token: number } | string {
  if (!FORM.test(code)) return 'must be CSGO and five groups of five letters and digits, as in CSGO-GADqf-jjyJ8-…';
  const digits = code.slice('CSGO'.length).replaceAll('-', '');
  const wrong = [...digits].find((digit) => !DIGITS.includes(digit));
  if (wrong !== undefined) return `contains ${wrong}, which is in no share code: one of its characters is mistyped`;
  const hex = [...digits].reduceRight((sum, digit) => sum * 57n + BigInt(DIGITS.indexOf(digit)), 0n).toString(16);
  const bytes = hex.padStart(36, '0').match(/../g) ?? [];
  const [matchId = 0n, outcomeId = 0n, token = 0n] = [bytes.slice(0, 8), bytes.slice(8, 16), bytes.slice(16)].map(
    (part) => BigInt(`0x${part.reverse().join('')}`),
  );
  const isMatch = hex.length <= 36 && matchId > 0n && outcomeId > 0n;
  return isMatch ? { matchId, outcomeId, token: Number(token) } : 'names no match: one of its characters is mistyped';
}
