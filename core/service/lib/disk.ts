import { DiskState } from '#protocol/operate/disk-state.ts';

/** The disk of a stack. */
export interface Disk {
  /** Whether at least this multiple of `DISK_RESERVE_MIB` is free. True for a service without its own disk. */
  hasSpace(share: number): Promise<boolean>;
  /** Null for a service without its own disk. */
  state(): Promise<DiskState | null>;
}

const FRESH_MS = 1000;

/** Creates the check of free space. `disk` answers with a `DiskState`. */
export function createDisk(disk: Fetcher | undefined, reserve: number, now: () => number): Disk {
  let last: DiskState | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const state = async () => {
    if (disk && Math.abs(now() - lookedAt) >= FRESH_MS) {
      const response = await disk.fetch('http://disk/');
      last = DiskState.parse(await response.json());
      lookedAt = now();
    }
    return last;
  };
  return {
    state,
    async hasSpace(share) {
      const { freeBytes = Number.POSITIVE_INFINITY } = (await state()) ?? {};
      return freeBytes >= reserve * share;
    },
  };
}
