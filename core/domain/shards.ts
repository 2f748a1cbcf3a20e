import type { Job } from './job.ts';

/** More dispatchers than a fleet of a hundred thousand hosts asks for; each is one object, named by its number. */
export const MOST_SHARDS = 16;

/**
 * The dispatcher that push hosts are registered with, however many dispatchers there are. They do not poll, so they
 * would not follow when that number changes.
 */
export const PUSH_HOST_SHARD = 0;

/** Returns the dispatcher that a host polls, which counts its jobs. */
export function shardOfHost(hostId: string, shards: number): number {
  return ranked(`host ${hostId}`, shards)[0] ?? 0;
}

/**
 * The dispatchers that a job may wait in. All reserved jobs of an account wait in one, which so counts its slots
 * exactly; any other job goes to the shorter of two.
 */
export function candidatesOf(
  { id, accountId, priority }: Pick<Job, 'id' | 'accountId' | 'priority'>,
  shards: number,
): readonly number[] {
  return priority ? ranked(`account ${accountId}`, shards).slice(0, 1) : ranked(`job ${id}`, shards).slice(0, 2);
}

/**
 * The dispatcher that a job waits in: where it lies, as long as it may lie there, else the shorter of those that it may
 * go to. `lengthOf`: null where nothing is known of late; such a one is tried, and the answer tells.
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
 * All shards in the order of their weight for a key (rendezvous hashing, Thaler and Ravishankar, 1998): with one shard
 * more or fewer, only what that shard wins or had changes its place.
 */
function ranked(key: string, shards: number): number[] {
  const hash = hashOf(key);
  const weights = Array.from({ length: shards }, (_, shard) => mixed(hash + Math.imul(shard + 1, 0x9e3779b1)));
  return [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** The last step of MurmurHash3: numbers that are alike become unlike ones. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
