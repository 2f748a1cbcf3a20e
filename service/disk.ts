/** The disk that a stack keeps everything on. Elsewhere there is none to look after, and always room. */
export interface Disk {
  /** Whether at least this much is free, as a multiple of `DISK_RESERVE_MIB`. */
  hasRoom(share: number): Promise<boolean>;
}

const FRESH_MS = 1000;

/** `disk` answers with the number of bytes that are free. */
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
