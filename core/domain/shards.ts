import type { Job } from './job.ts';

/** The most dispatchers: enough for more than a hundred thousand hosts. Each is one object, named by its number. */
export const MOST_SHARDS = 16;

/**
 * The dispatcher of all push hosts. They do not poll, so they could not move when the number of dispatchers changes.
 */
export const PUSH_HOST_SHARD = 0;

/** Returns the dispatcher that a host polls and that counts its jobs. */
export function shardOfHost(hostId: string, shards: number): number {
  return ranked(`host ${hostId}`, shards)[0] ?? 0;
}

/**
 * Returns the dispatchers that a job may wait in. Reserved jobs of an account wait in one, which can count its slots
 * exactly. Any other job goes to the shorter of two.
 */
export function candidatesOf(
  { id, accountId, priority }: Pick<Job, 'id' | 'accountId' | 'priority'>,
  shards: number,
): readonly number[] {
  return priority ? ranked(`account ${accountId}`, shards).slice(0, 1) : ranked(`job ${id}`, shards).slice(0, 2);
}

/**
 * Returns the dispatcher for a job: its present one if that is still a candidate, else the shorter candidate.
 * `lengthOf` returns null for an unknown length; such a dispatcher is tried first.
 */
export function placeOf(
  job: Pick<Job, 'id' | 'accountId' | 'priority'>,
  shards: number,
  known: readonly number[],
  lengthOf: (shard: number) => number | null,
): number {
  const candidates = candidatesOf(job, shards);
  const kept = known.find((shard) => candidates.includes(shard));
  if (kept !== undefined) return kept;
  const [first = 0, second = first] = candidates;
  return (lengthOf(second) ?? 0) < (lengthOf(first) ?? 0) ? second : first;
}

/**
 * Ranks all shards for a key by weight (rendezvous hashing, Thaler and Ravishankar, 1998). Adding or removing a shard
 * moves only that shard's keys.
 */
function ranked(key: string, shards: number): number[] {
  const hash = hashOf(key);
  const weights = Array.from({ length: shards }, (_, shard) => mixed(hash + Math.imul(shard + 1, 0x9e3779b1)));
  return [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
}

/** Returns the hash FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** Applies the last step of MurmurHash3, which spreads similar numbers. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
