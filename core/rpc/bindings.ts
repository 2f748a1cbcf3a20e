import type { HostPolicy } from '#domain/host/host-state.ts';
import type { PurgeReason } from '#domain/job/outbox.ts';
import type { PushSettings } from '#protocol/host/push.ts';
import type { DispatcherRpc, Suggestion } from './dispatcher.ts';
import type { RenderJobRpc } from './render-job.ts';

/** The calls that the object of a push host answers. A push host does not poll: the service sends it jobs. */
export interface PushHostRpc {
  /** Stores the host with a closed circuit, and registers it with the dispatcher. Keeps its secret headers. */
  register(host: PushHostRegistration): Promise<void>;
  /** Replaces the secret headers of the calls. Returns false if there is no such host. */
  setHeaders(headers: Readonly<Record<string, string>>): Promise<boolean>;
  /** Applies the operator's changes to the host. Ignores an older revision. */
  revise(policy: HostPolicy): Promise<void>;
  /** Deletes the host: it is sent no more jobs. */
  revoke(): Promise<void>;
  /** Sends the host a suggested job. Returns before the host has answered. */
  push(hostId: string, suggestion: Suggestion): void;
}

export interface PushHostRegistration {
  readonly id: string;
  readonly push: PushSettings;
  /** SHA-256 of the host's token. The secret that grants are signed with is derived from it. */
  readonly tokenSha256: string;
  /** The operator's policy for the host. */
  readonly policy?: HostPolicy | undefined;
}

/** The calls that the purge queue answers. A deployment has one queue. */
export interface PurgeQueueRpc {
  /** Stores a purge, which is sent later. */
  add(purge: Purge): Promise<void>;
  /** Returns how many purges wait; the count stops at 10,000. */
  waiting(): Promise<number>;
}

/** A request that caches delete the files under a prefix of the bucket, and everything below the clip's address. */
export interface Purge {
  /** Of one clip or of one attempt of it, with a slash at its end. */
  readonly prefix: string;
  readonly reason: PurgeReason;
}

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
