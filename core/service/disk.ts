/** The disk of a stack. Without one, `hasSpace` is always true. */
export interface Disk {
  /** Whether at least this multiple of `DISK_RESERVE_MIB` is free. */
  hasSpace(share: number): Promise<boolean>;
}

const FRESH_MS = 1000;

/** Creates the check of free space. `disk` answers with the number of free bytes. */
export function createDisk(disk: Fetcher | undefined, reserve: number, now: () => number): Disk {
  let last = { free: Number.POSITIVE_INFINITY, at: Number.NEGATIVE_INFINITY };
  return {
    async hasSpace(share) {
      if (disk && Math.abs(now() - last.at) >= FRESH_MS) {
        const response = await disk.fetch('http://disk/');
        last = { free: Number(await response.text()), at: now() };
      }
      return last.free >= reserve * share;
    },
  };
}
