import type { Lease } from '../../domain/job.ts';
import type { Schedule } from '../../domain/schedule.ts';

/**
 * When a host was last heard of. Kept in memory only, so that a heartbeat writes no row. An object that was evicted
 * has forgotten it and gives the host one full term from its own start: late reclaim is the lesser failure.
 */
export class Liveness {
  readonly #bornAt: number;
  #heard: { fence: number; at: number; isFirst: boolean } | null = null;

  constructor(bornAt: number) {
    this.#bornAt = bornAt;
  }

  granted(lease: Lease): void {
    this.#heard = { fence: lease.fence, at: lease.grantedAt, isFirst: true };
  }

  heardFrom(fence: number, now: number): void {
    this.#heard = { fence, at: now, isFirst: false };
  }

  /** Whether the lease was granted into the void: its host has not been heard of since. Unknown counts as heard. */
  isUnconfirmed(lease: Lease): boolean {
    return this.#heard?.fence === lease.fence && this.#heard.isFirst;
  }

  /** When the lease is lost unless its host is heard of before. */
  deadline(lease: Lease, schedule: Schedule): number {
    if (this.#heard?.fence !== lease.fence) return Math.max(this.#bornAt, lease.grantedAt) + schedule.leaseTtl;
    return this.#heard.at + (this.#heard.isFirst ? schedule.firstLeaseTtl : schedule.leaseTtl);
  }
}
