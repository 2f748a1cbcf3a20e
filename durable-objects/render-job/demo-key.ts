import { hmacSha256, toHex } from '#platform/digest.ts';
import type { ClipRequest } from './stored-request.ts';

/** Enough that no two are alike by chance. */
const KEY_BYTES = 16;

/**
 * Names the demo of an account to hosts and to the queue. Without the deployment's secret nobody can tell from it which
 * account or which address it stands for, nor whether two accounts have the same demo. Another query is another demo.
 */
export function demoKeyOf(secret: string, accountId: string, demoUrl: string): Promise<string> {
  // Clips' ids are made under the same secret, from words that begin with a digit.
  return signed(secret, `demo ${accountId} ${demoUrl}`);
}

/** Names an account to hosts, which can tell by it whose demos are the same account's, and nothing else. */
export function accountKeyOf(secret: string, accountId: string): Promise<string> {
  return signed(secret, `account ${accountId}`);
}

/** Names the clips of an account that show the same match, and those that show the same one player, if it is one. */
export async function listsOf(secret: string, accountId: string, request: ClipRequest): Promise<string[]> {
  const players = new Set(request.timeline?.map(({ steam64_id }) => steam64_id) ?? [request.steam64_id]);
  const [player] = players;
  return Promise.all([
    signed(secret, `match ${accountId} ${request.demo_url}`),
    ...(players.size === 1 ? [signed(secret, `player ${accountId} ${player}`)] : []),
  ]);
}

async function signed(secret: string, words: string): Promise<string> {
  return toHex((await hmacSha256(secret)(words)).subarray(0, KEY_BYTES));
}
