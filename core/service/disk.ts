/** The disk of a stack. Without one, `hasRoom` is always true. */
export interface Disk {
  /** Whether at least this multiple of `DISK_RESERVE_MIB` is free. */
  hasRoom(share: number): Promise<boolean>;
}

const FRESH_MS = 1000;

/** Creates the check of free space. `disk` answers with the number of free bytes. */
export function createDisk(disk: Fetcher | undefined, reserve: number, now: () => number): Disk {
  let seen = { free: Number.POSITIVE_INFINITY, at: Number.NEGATIVE_INFINITY };
  return {
    async hasRoom(share) {
      if (disk && Math.abs(now() - seen.at) >= FRESH_MS) {
        const response = await disk.fetch('http://disk/');
        seen = { free: Number(await response.text()), at: now() };
      }
      return seen.free >= reserve * share;
    },
  };
}
