import type { ClaimGate } from './claim-gate.ts';

export interface DiskGateDependencies {
  readonly readFree: () => Promise<number>;
  readonly minBytes: number;
  /** Removes what is only kept in case it is needed again. */
  readonly makeRoom?: () => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * Keeps a host from claiming whose disk is nearly full. It would fail job after job, each at once and so faster than
 * any host that works, and use up the retries of them all.
 */
export function createDiskGate({ readFree, minBytes, makeRoom, log }: DiskGateDependencies): ClaimGate {
  return {
    async open(capabilities) {
      try {
        let free = await readFree();
        if (free < minBytes && makeRoom) {
          await makeRoom();
          free = await readFree();
        }
        if (free >= minBytes) return capabilities;
        log.error({ free, minBytes }, 'too little space left on the disk of the work folder; this host claims no work');
      } catch (error) {
        log.error({ err: error }, 'the work folder cannot be read; this host claims no work');
      }
      return null;
    },
    note: () => {},
  };
}
