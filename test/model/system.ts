import type { Delivery } from '#domain/job/delivery.ts';
import type { Job } from '#domain/job/job.ts';
import type { OutboxEntry, OutsideEffect } from '#domain/job/outbox.ts';
import type { CrashPoint, Happening, Outside } from './actions.ts';
import type { Answer, View } from './contract-model.ts';

/** Thrown by a call during which the object died. */
export class Crash extends Error {}

/** A webhook as its receiver got it. */
export interface Sent {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly at: number;
  readonly body: string;
}

/** An attempt of a webhook as the job stored it. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Statements that read a job's deliveries, their attempts and their bodies from its storage. */
export const STORED = {
  deliveries: `SELECT id, run, status, json_array_length(attempts) AS attempts, next_at AS nextAt,
    created_at AS createdAt FROM deliveries`,
  attempts: `SELECT deliveries.id AS id, key + 1 AS attempt, value->>0 AS at, value->>1 AS status, value->>2 AS error
    FROM deliveries, json_each(deliveries.attempts)`,
  bodies: 'SELECT run FROM deliveries WHERE body IS NOT NULL',
} as const;

/** Everything that is stored of a job, for the invariants. */
export interface Snapshot {
  readonly job: Job;
  readonly outbox: readonly OutboxEntry[];
  readonly deliveries: readonly Delivery[];
  readonly attempts: readonly Attempt[];
  /** Runs whose outcome is stored, and can be sent. */
  readonly bodies: readonly number[];
  readonly alarmAt: number | null;
}

/** The state outside of the job when nothing is pending. */
export interface Aftermath {
  readonly indexed: { readonly status: string; readonly version: number; readonly upkeepAt: number | null } | null;
  readonly files: readonly string[];
  readonly openUploads: number;
  readonly isQueued: boolean;
  /** The runs whose usage is stored. */
  readonly metered: readonly number[];
}

/** One job with the real engine, in an environment with injected faults. The clock is the system's. */
export interface System {
  now(): number;
  setNow(now: number): void;
  /** Resolves when no work is running. Rejects with `Crash` if the object died during the call. */
  call(happening: Happening, fence: number): Promise<Answer>;
  /** Returns the fence of a new lease; null if there was no job to claim. */
  claim(): Promise<number | null>;
  view(): Promise<View | null>;
  snapshot(): Promise<Snapshot | null>;
  alarmAt(): Promise<number | null>;
  ring(): Promise<void>;
  loseAlarm(): Promise<void>;
  /** Does what the cron does with the job. */
  runCron(): Promise<void>;
  upkeepAt(): Promise<number | null>;
  evict(): Promise<void>;
  crashAt(point: CrashPoint | null): Promise<void>;
  /** When the object died last, excluding evictions; null if it never did. */
  diedAt(): number | null;
  loseQueue(): Promise<void>;
  outage(of: Outside | null): Promise<void>;
  receiver(answers: 'ok' | 'fails'): Promise<void>;
  sent(): Promise<readonly Sent[]>;
  /** Returns the keys of the files in storage. */
  files(): Promise<readonly string[]>;
  aftermath(): Promise<Aftermath>;
  close(): Promise<void>;
}

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
