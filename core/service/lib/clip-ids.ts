import { hmacSha256, toHex } from '#platform/digest.ts';

/** Converts ids of jobs and clips into each other, under the deployment's secret. */
export interface ClipIds {
  clipIdOf(jobId: string): Promise<string>;
  /** Returns the job that may own a clip. The job checks whether the clip is its own. */
  ownerOf(clipId: string): Promise<string>;
}

/**
 * The rounds of the network. Four make a permutation that cannot be distinguished from a random one (Luby and Rackoff,
 * 1988).
 */
const ROUNDS = [0, 1, 2, 3] as const;

/** Half of the hexadecimal digits of a UUID that are permuted: all but version and variant. */
const HALF = 15;

/**
 * Creates a Feistel network over the digits of a UUID, with HMAC-SHA-256 as its round function. A job's clip is found
 * without an index, and neither id can be derived from the other without the secret. See
 * docs/decisions/019-keyed-clip-ids.md.
 */
export function createClipIds(secret: string): ClipIds {
  const sign = hmacSha256(secret);
  const mask = async (round: number, half: string) => toHex(await sign(`${round}:${half}`)).slice(0, HALF);

  async function permute(id: string, rounds: readonly number[]): Promise<string> {
    const { left, right, version, variant } = split(id);
    let [a, b] = [left, right];
    for (const round of rounds) [a, b] = [b, xor(a, await mask(round, b))];
    // The last swap is undone, so that the network is its own inverse with the rounds reversed.
    return join({ left: b, right: a, version, variant });
  }

  return {
    clipIdOf: (jobId) => permute(jobId, ROUNDS),
    ownerOf: (clipId) => permute(clipId, ROUNDS.toReversed()),
  };
}

interface Parts {
  readonly left: string;
  readonly right: string;
  readonly version: string;
  readonly variant: string;
}

/** Splits xxxxxxxx-xxxx-Vxxx-Nxxx-xxxxxxxxxxxx. */
function split(id: string): Parts {
  const digits = id.replaceAll('-', '');
  const rest = digits.slice(0, 12) + digits.slice(13, 16) + digits.slice(17);
  return { left: rest.slice(0, HALF), right: rest.slice(HALF), version: digits.charAt(12), variant: digits.charAt(16) };
}

function join({ left, right, version, variant }: Parts): string {
  const rest = left + right;
  const digits = rest.slice(0, 12) + version + rest.slice(12, 15) + variant + rest.slice(15);
  return [0, 8, 12, 16, 20].map((at, i, starts) => digits.slice(at, starts[i + 1])).join('-');
}

function xor(a: string, b: string): string {
  return [...a]
    .map((digit, i) => (Number.parseInt(digit, 16) ^ Number.parseInt(b.charAt(i), 16)).toString(16))
    .join('');
}
