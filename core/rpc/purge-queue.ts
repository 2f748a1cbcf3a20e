import type { PurgeReason } from '#domain/job/outbox.ts';

/** The calls that the purge queue answers. A deployment has one queue. */
export interface PurgeQueueRpc {
  /** Stores a purge, which is sent later. */
  add(purge: Purge): Promise<void>;
  /** Returns how many purges wait; the count stops at 10,000. */
  waiting(): Promise<number>;
}

/** A request that caches delete the files under a prefix of the bucket, and everything below the clip's address. */
export interface Purge {
  /** Of one clip or of one attempt of it, with a slash at its end. */
  readonly prefix: string;
  readonly reason: PurgeReason;
}
