import type { Dispatcher } from '#durable-objects/dispatcher/dispatcher.ts';
import type { PushHost } from '#durable-objects/push-host/push-host.ts';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import type { ObjectsByName } from '#platform/placed-in.ts';
import type { RateBindings } from './limits.ts';

/** What the platform hands the Worker, beside the variables that `loadSettings` reads. */
export interface Bindings extends RateBindings {
  /** There may be a `DB_2`, `DB_3` and so on beside it: `createDatabases` finds them. */
  readonly DB: D1Database;
  readonly CLIPS: R2Bucket;
  readonly ASSETS: R2Bucket;
  /** Counts views; without it the database does. */
  readonly VIEWS?: AnalyticsEngineDataset;
  /** Only on a stack: answers with the free bytes of its disk. */
  readonly DISK?: Fetcher;
  /** Only on a stack: calls addresses that the operator has set, including private ones. */
  readonly OPERATOR?: Fetcher;
  readonly RENDER_JOB: DurableObjectNamespace<RenderJob>;
  readonly DISPATCHER: DurableObjectNamespace<Dispatcher>;
  readonly PUSH_HOST: DurableObjectNamespace<PushHost>;
}

/** The object that owns a job. Reaching one that was never created costs no storage. */
export function renderJobOf(
  env: { readonly RENDER_JOB: ObjectsByName<RenderJob> },
  jobId: string,
): DurableObjectStub<RenderJob> {
  return env.RENDER_JOB.getByName(jobId);
}
