import { DurableObject } from 'cloudflare:workers';
import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/circuit-breaker.ts';
import type { HostPolicy } from '#domain/host-state.ts';
import { reasonOf } from '#domain/reason.ts';
import { HOME_OF_CALLED } from '#domain/shards.ts';
import { createLog, type Log } from '#platform/log.ts';
import { placedIn } from '#platform/placed-in.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import { capabilityOf } from '#protocol/host-capabilities.ts';
import { coalesce } from '../coalesce.ts';
import type { Dispatcher } from '../dispatcher/dispatcher.ts';
import { createDispatchers, type Dispatchers } from '../dispatcher/dispatchers.ts';
import type { Suggestion } from '../dispatcher/waiter.ts';
import { grantOf } from '../render-job/grant.ts';
import type { RenderJob } from '../render-job/render-job.ts';
import { pushSecretOf } from './push-secret.ts';
import { type PushAnswer, sendGrant } from './send-grant.ts';
import { createPushHostStore, type PushHostStore, type StoredPushHost } from './stored-push-host.ts';

interface PushBindings {
  readonly RENDER_JOB: DurableObjectNamespace<RenderJob>;
  readonly DISPATCHER: DurableObjectNamespace<Dispatcher>;
}

/** While the dispatcher is told of a change, the alarm stands this far ahead: it rings if that came to nothing. */
const TELL_AGAIN_MS = 5000;

/**
 * Calls one host that does not poll. It stands in the dispatcher's queue for the host, and for each job that falls to
 * it claims the job, sends the grant and hears what the host says. What it knows of the host's health is in storage and
 * is written only when it changes; whether the dispatcher has heard of it is what the alarm is for.
 */
export class PushHost extends DurableObject<PushBindings> {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #store: PushHostStore;
  #host: StoredPushHost | null;
  /** The dispatcher hears of one change after the other. */
  readonly #tell = coalesce(() => this.#tellNow());

  constructor(ctx: DurableObjectState, env: PushBindings) {
    super(ctx, env);
    this.#settings = settingsOf(env);
    this.#log = createLog(this.#settings.logLevel);
    this.#store = createPushHostStore(ctx.storage);
    this.#host = this.#store.load();
  }

  override async alarm(): Promise<void> {
    const host = this.#host;
    if (!host) return;
    this.#keep({ ...host, circuit: afterRest(host.circuit, Date.now()) });
    await this.#tell();
  }

  /** From now on the host is called, with what is known of it anew. */
  async register(host: Omit<StoredPushHost, 'circuit'>): Promise<void> {
    this.#keep({ ...host, circuit: CLOSED });
    await this.#tell();
  }

  /** The operator wants something else of it. */
  async revise(policy: HostPolicy): Promise<void> {
    if (!this.#host || (this.#host.policy?.revision ?? -1) >= policy.revision) return;
    this.#keep({ ...this.#host, policy });
    await this.#tell();
  }

  /** The host is not called any more. */
  async revoke(): Promise<void> {
    if (!this.#host) return;
    this.#keep({ ...this.#host, push: null });
    await this.#tell();
  }

  /** A job has fallen to the host. The dispatcher, which has thousands of them, does not wait for what comes of it. */
  push(hostId: string, suggestion: Suggestion): void {
    const call = this.#call(hostId, suggestion).catch((error: unknown) => {
      this.#log('a job could not be sent', { job: suggestion.jobId, host: hostId, error: reasonOf(error) });
    });
    this.ctx.waitUntil(call);
  }

  /** Whatever dies on the way, the job's lease runs out, or was not granted at all. */
  async #call(hostId: string, suggestion: Suggestion): Promise<void> {
    const host = this.#host;
    if (!host?.push || openSlots(host.circuit, host.push.slots) === 0) {
      // The dispatcher has not heard. The job is suggested again in a while.
      if (host) await this.#tell();
      else await this.#dispatcher.sit(hostId);
      return;
    }
    const { jobId } = suggestion;
    const requestId = crypto.randomUUID();
    const shards = this.#dispatchers.thatKnow(HOME_OF_CALLED, suggestion);
    const claimed = await this.#job(jobId).claim(hostId, requestId, true, shards, host.push.capabilities.skills);
    if (!claimed.ok) {
      if (claimed.refusal === 'not_queued') await this.#dispatchers.drop(HOME_OF_CALLED, suggestion);
      return;
    }
    const { fence } = claimed.value;
    const secret = await pushSecretOf(this.#settings.clipIdSecret, hostId, host.tokenSha256);
    const grant = grantOf(jobId, claimed.value, this.#settings, requestId);
    const answer = await sendGrant({ url: host.push.url, secret }, grant, this.#settings, Date.now());
    this.#log('job sent', { requestId, job: jobId, fence, host: hostId, answer: answer.kind }, 'info');
    // Before the job is free again: it would fall to the same host.
    await this.#note(answer, host.circuit);
    if (answer.kind === 'taken') await this.#job(jobId).heartbeat(hostId, fence, 'prefetch', 0);
    else await this.#job(jobId).release(hostId, fence, requestId, 'not-taken');
  }

  /** What the host's answer says of its health. `before`: what was known when it was called. */
  async #note(answer: PushAnswer, before: Circuit): Promise<void> {
    const host = this.#host;
    if (!host) return;
    const circuit = afterAnswer(host.circuit, before, answer);
    if (circuit.failures === host.circuit.failures && circuit.restUntil === host.circuit.restUntil) return;
    this.#keep({ ...host, circuit });
    if (answer.kind !== 'taken') {
      const why = answer.kind === 'failed' ? { why: answer.why } : {};
      this.#log(
        'a push host rests',
        { host: host.id, ...circuit, ...why },
        answer.kind === 'failed' ? 'error' : 'info',
      );
    }
    await this.#tell();
  }

  #keep(host: StoredPushHost): void {
    this.ctx.storage.transactionSync(() => {
      this.#store.save(host);
      // Rings unless the dispatcher has heard of it by then.
      void this.ctx.storage.setAlarm(Date.now() + TELL_AGAIN_MS);
    });
    this.#host = host;
  }

  /** Never rejects: the alarm tells it again. */
  async #tellNow(): Promise<void> {
    const host = this.#host;
    if (!host) return;
    const { id, push, circuit, policy } = host;
    const slots = push ? Math.min(openSlots(circuit, push.slots), this.#settings.hostSlots) : 0;
    try {
      if (push && slots > 0) {
        await this.#dispatcher.stand({ hostId: id, slots, capability: capabilityOf(push.capabilities), policy });
      } else await this.#dispatcher.sit(id);
    } catch (error) {
      this.#log('the dispatcher was not told of a push host', { host: id, error: reasonOf(error) });
      await this.ctx.storage.setAlarm(Date.now() + TELL_AGAIN_MS);
      return;
    }
    // Something has changed meanwhile, and is told next.
    if (this.#host !== host) return;
    if (push === null) {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      this.#host = null;
    } else if (circuit.restUntil === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(circuit.restUntil);
  }

  /** A stub whose object was reset is broken for good, so each call takes a fresh one. */
  get #dispatcher(): DurableObjectStub<Dispatcher> {
    return this.#dispatchers.at(HOME_OF_CALLED);
  }

  get #dispatchers(): Dispatchers {
    const { place, dispatchers } = this.#settings;
    return createDispatchers(placedIn(this.env.DISPATCHER, place), dispatchers);
  }

  #job(jobId: string): DurableObjectStub<RenderJob> {
    return placedIn(this.env.RENDER_JOB, this.#settings.place).getByName(jobId);
  }
}

function afterAnswer(circuit: Circuit, before: Circuit, answer: PushAnswer): Circuit {
  switch (answer.kind) {
    case 'taken':
      return afterTaken(circuit);
    case 'busy':
      return afterBusy(circuit, answer.waitMs, Date.now());
    case 'failed':
      return afterFailure(circuit, before, Date.now(), Math.random());
  }
}
