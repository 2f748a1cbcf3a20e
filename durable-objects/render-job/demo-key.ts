import { hmacSha256, toHex } from '#platform/digest.ts';
import type { ClipRequest } from './stored-request.ts';

/** Bytes of a key: long enough to avoid collisions. */
const KEY_BYTES = 16;

/**
 * Returns the key of an account's demo for hosts and the queue. Without the deployment's secret it reveals neither
 * account nor address, nor whether two accounts have the same demo. Another query string is another demo.
 */
export function demoKeyOf(secret: string, accountId: string, demoUrl: string): Promise<string> {
  // Clip ids use the same secret, with texts that begin with a digit.
  return signed(secret, `demo ${accountId} ${demoUrl}`);
}

/** Returns the key of an account for hosts. It shows only which demos belong to the same account. */
export function accountKeyOf(secret: string, accountId: string): Promise<string> {
  return signed(secret, `account ${accountId}`);
}

/**
 * Returns the keys of the lists of a clip: those of its account with the same match, and with the same player if it has
 * only one.
 */
export async function listsOf(secret: string, accountId: string, request: ClipRequest): Promise<string[]> {
  const players = new Set(request.timeline?.map(({ steam64_id }) => steam64_id) ?? [request.steam64_id]);
  const [player] = players;
  return Promise.all([
    signed(secret, `match ${accountId} ${request.demo_url}`),
    ...(players.size === 1 ? [signed(secret, `player ${accountId} ${player}`)] : []),
  ]);
}

async function signed(secret: string, text: string): Promise<string> {
  return toHex((await hmacSha256(secret)(text)).subarray(0, KEY_BYTES));
}
