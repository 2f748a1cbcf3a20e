import type { Job } from '#domain/job.ts';
import type { OutsideEffect } from '#domain/outbox.ts';
import type { Outside } from './actions.ts';
import type { Aftermath } from './system.ts';

/** The part that each effect calls. */
export const NEEDS: Record<OutsideEffect['type'], Outside> = {
  project: 'index',
  meter: 'index',
  unbilled: 'index',
  offer: 'queue',
  started: 'queue',
  settle: 'queue',
  'delete-files': 'storage',
  'abort-uploads': 'storage',
};

export interface Surroundings {
  indexed: Aftermath['indexed'];
  isQueued: boolean;
  readonly files: Set<string>;
  readonly uploads: Set<string>;
  carryOut(effect: OutsideEffect, job: Job, upkeepAt: number | null, life: { readonly dead: boolean }): void;
  aftermath(): Aftermath;
}

/**
 * Creates what effects change outside of the object, as plain values. `life` identifies the object that runs an effect.
 */
export function createSurroundings(): Surroundings {
  const files = new Set<string>();
  const uploads = new Set<string>();
  const bill: { run: number; writer: { readonly dead: boolean } }[] = [];
  return {
    indexed: null,
    isQueued: false,
    files,
    uploads,
    carryOut(effect: OutsideEffect, job: Job, upkeepAt: number | null, life: { readonly dead: boolean }): void {
      switch (effect.type) {
        case 'project':
          if (!this.indexed || this.indexed.version < job.version)
            this.indexed = { status: job.status, version: job.version, upkeepAt };
          return;
        case 'offer':
          this.isQueued = true;
          return;
        case 'started':
        case 'settle':
          this.isQueued = false;
          return;
        case 'meter':
          // Only a restarted object may repeat it, because it cannot know that it was done.
          if (!bill.some(({ run, writer }) => run === effect.usage.run && writer !== life)) {
            bill.push({ run: effect.usage.run, writer: life });
          }
          return;
        case 'unbilled':
          return;
        case 'delete-files':
          for (const key of files) if (key.startsWith(effect.prefix)) files.delete(key);
          return;
        case 'abort-uploads':
          for (const { uploadId } of effect.uploads) uploads.delete(uploadId);
      }
    },
    aftermath() {
      const { indexed, isQueued } = this;
      return {
        indexed,
        files: [...files],
        openUploads: uploads.size,
        isQueued,
        metered: bill.map(({ run }) => run),
      };
    },
  };
}
