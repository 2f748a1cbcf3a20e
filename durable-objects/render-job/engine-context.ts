import type { Job } from '#domain/job/job.ts';
import type { EffectOutcome, OutsideEffect } from '#domain/job/outbox.ts';
import type { Log } from '#platform/log.ts';
import type { DeliveryContext, WebhookTrouble } from './deliveries.ts';
import type { JobStorage } from './job-store.ts';
import type { StoredJob } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/** Everything outside of the job that its engine touches. */
export interface EngineContext extends DeliveryContext {
  readonly storage: JobStorage;
  /** See `TransitionContext`. */
  readonly fenceFloor?: number | undefined;
  /** In [0, 1). */
  readonly random: () => number;
  /** Keeps the object in memory until the work is done. */
  readonly keepAlive: (work: Promise<void>) => void;
  /** Runs one effect. Rejects if it failed. */
  readonly runEffect: (effect: OutsideEffect, stored: StoredJob, seen: ProjectionExtras) => Promise<EffectOutcome>;
  /** Lets the host of a test job report, which works by the job's alarm. Never rejects. */
  readonly report: () => Promise<void>;
  /** Returns the webhook outcome of a finished job, without the request's `extras`. */
  readonly webhookOutcome: (job: Job) => { readonly event: string; readonly body: string };
  readonly onChange: (job: Job) => void;
  readonly log: Log;
}

/** Values that a projection writes beside the job. */
export interface ProjectionExtras {
  /** When the cron should call it; null if nothing is pending. */
  readonly upkeepAt: number | null;
  readonly trouble: WebhookTrouble | null;
}

/** Values that come with an event but do not affect the state machine. */
export interface EventDetails {
  /** Replaces the stored request, in a forced redo. */
  readonly request?: StoredRequest | undefined;
  /** The id of the request that caused the event, for the log. */
  readonly requestId?: string | undefined;
  /** The end of the host's log. */
  readonly log?: string | null | undefined;
}
