import type { Job } from '#domain/job.ts';
import type { EffectOutcome, OutsideEffect } from '#domain/outbox.ts';
import type { Log } from '#platform/log.ts';
import type { DeliveryWorld, WebhookTrouble } from './deliveries.ts';
import type { JobStorage } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/** Everything outside of the job that its engine touches. */
export interface EngineWorld extends DeliveryWorld {
  readonly storage: JobStorage;
  /** See `TransitionContext`. */
  readonly fenceFloor?: number | undefined;
  /** In [0, 1). */
  readonly random: () => number;
  /** Keeps the object in memory until the work is done. */
  readonly keepAlive: (work: Promise<void>) => void;
  /** Carries out one effect. Rejects if it could not be done. */
  readonly runEffect: (effect: OutsideEffect, stored: StoredJob, seen: ProjectionExtras) => Promise<EffectOutcome>;
  /** The outcome of a finished job as its webhook carries it, but for the request's `extras`. */
  readonly webhookOutcome: (job: Job) => { readonly event: string; readonly body: string };
  readonly onChange: (job: Job) => void;
  readonly log: Log;
}

/** What the index keeps of a job beside its state. */
export interface ProjectionExtras {
  /** When the cron should look after it; null when nothing about it waits. */
  readonly upkeepAt: number | null;
  /** Of its last webhook. */
  readonly trouble: WebhookTrouble | null;
}

/** What comes with an event that its job does not look at. */
export interface EventDetails {
  /** Replaces the stored one: of a forced redo. */
  readonly request?: StoredRequest | undefined;
  /** Of the request that brought the event, for the log. */
  readonly requestId?: string | undefined;
  /** The end of the log of the host that brought it. */
  readonly log?: string | null | undefined;
}
