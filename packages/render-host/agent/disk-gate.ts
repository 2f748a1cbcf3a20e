import type { ClaimGate } from './claim-gate.ts';

export interface DiskGateDependencies {
  readonly readFree: () => Promise<number>;
  readonly minBytes: number;
  /** Deletes what is only cached. */
  readonly freeSpace?: () => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * Stops a host from claiming while its disk is nearly full. Otherwise it would fail job after job faster than working
 * hosts finish theirs, and use up the retries of all of them. Each claim has the free space.
 */
export function createDiskGate({ readFree, minBytes, freeSpace, log }: DiskGateDependencies): ClaimGate {
  return {
    async open(capabilities) {
      try {
        let free = await readFree();
        if (free < minBytes && freeSpace) {
          await freeSpace();
          free = await readFree();
        }
        if (free >= minBytes) return { ...capabilities, free_bytes: free };
        log.error({ free, minBytes }, 'too little space left on the disk of the work folder; this host claims no work');
      } catch (error) {
        log.error({ err: error }, 'the work folder cannot be read; this host claims no work');
      }
      return null;
    },
    note: () => {},
  };
}
