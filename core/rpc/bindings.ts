import type { DispatcherRpc } from './dispatcher.ts';
import type { PurgeQueueRpc } from './purge-queue.ts';
import type { PushHostRpc } from './push-host.ts';
import type { RenderJobRpc } from './render-job.ts';

/** The type of a set of calls that can be bound: the platform accepts only branded types. */
export type Bound<Calls extends object> = Calls & Rpc.DurableObjectBranded;

/** A run of a rule. */
export interface RunId {
  readonly runId: string;
}

/** What an object asks of the Worker. */
export interface RuleRunsRpc extends Rpc.WorkerEntrypointBranded {
  /** Takes the runs of an upload, or one run, as far as they can go now. */
  advance(of: string | RunId): Promise<void>;
}

declare global {
  namespace Cloudflare {
    /** Types `ctx.exports`: the classes of src/worker.ts that objects call. */
    interface GlobalProps {
      readonly mainModule: { readonly RuleRuns: new (context: ExecutionContext, env: unknown) => RuleRunsRpc };
    }
  }
}

/** The namespaces of the objects. wrangler.toml binds them to the classes of durable-objects. */
export interface ObjectBindings {
  readonly RENDER_JOB: DurableObjectNamespace<Bound<RenderJobRpc>>;
  readonly DISPATCHER: DurableObjectNamespace<Bound<DispatcherRpc>>;
  readonly PUSH_HOST: DurableObjectNamespace<Bound<PushHostRpc>>;
  readonly PURGE_QUEUE: DurableObjectNamespace<Bound<PurgeQueueRpc>>;
}

export type RenderJobStub = DurableObjectStub<Bound<RenderJobRpc>>;
export type DispatcherStub = DurableObjectStub<Bound<DispatcherRpc>>;
export type PushHostStub = DurableObjectStub<Bound<PushHostRpc>>;
export type PurgeQueueStub = DurableObjectStub<Bound<PurgeQueueRpc>>;
