import { DurableObject } from 'cloudflare:workers';
import type { HostPolicy } from '#domain/host/host-state.ts';
import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/lib/circuit-breaker.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { pushSecretOf } from '#platform/digest.ts';
import { createLog, type Log } from '#platform/log.ts';
import { placedIn } from '#platform/placed-in.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import { capabilityOf } from '#protocol/host/host-capabilities.ts';
import type {
  DispatcherStub,
  ObjectBindings,
  PushHostRegistration,
  PushHostRpc,
  RenderJobStub,
} from '#rpc/bindings.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { grantOf } from '#service/host/grant.ts';
import { type ControlCache, createControls } from '#service/lib/controls.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { openDatabase } from '#storage/lib/database.ts';
import { coalesce } from '../coalesce.ts';
import { type PushAnswer, sendGrant } from './send-grant.ts';
import { createPushHostStore, type PushHostStore, type StoredPushHost } from './stored-push-host.ts';

interface Bindings extends Pick<ObjectBindings, 'RENDER_JOB' | 'DISPATCHER'> {
  readonly DB: D1Database;
}

/** How far ahead the alarm is set while the dispatcher is called. It fires if the call fails. */
const SYNC_AGAIN_MS = 5000;

/**
 * Sends jobs to one push host: registers it with the dispatcher, claims each suggested job, sends the grant, and
 * handles the answer. The host's health is stored only when it changes. The alarm repeats until the dispatcher has the
 * last change.
 */
export class PushHost extends DurableObject<Bindings> implements PushHostRpc {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #controls: ControlCache;
  readonly #store: PushHostStore;
  #host: StoredPushHost | null;
  /** Changes are sent to the dispatcher one at a time. */
  readonly #sync = coalesce(() => this.#syncNow());

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#settings = settingsOf(env);
    this.#log = createLog(this.#settings.logLevel);
    this.#controls = createControls(openDatabase(env.DB), () => Date.now(), this.#log);
    this.#store = createPushHostStore(ctx.storage);
    this.#host = this.#store.load();
  }

  override async alarm(): Promise<void> {
    const host = this.#host;
    if (!host) return;
    this.#keep({ ...host, circuit: afterRest(host.circuit, Date.now()) });
    await this.#sync();
  }

  async register(host: PushHostRegistration): Promise<void> {
    this.#keep({ ...host, circuit: CLOSED, refusal: null, headers: this.#host?.headers });
    await this.#sync();
  }

  async setHeaders(headers: Readonly<Record<string, string>>): Promise<boolean> {
    if (!this.#host?.push) return false;
    // The proxy may have refused the last calls.
    this.#keep({ ...this.#host, headers, circuit: CLOSED });
    await this.#sync();
    return true;
  }

  async revise(policy: HostPolicy): Promise<void> {
    if (!this.#host || (this.#host.policy?.revision ?? -1) >= policy.revision) return;
    this.#keep({ ...this.#host, policy });
    await this.#sync();
  }

  async revoke(): Promise<void> {
    if (!this.#host) return;
    this.#keep({ ...this.#host, push: null });
    await this.#sync();
  }

  push(hostId: string, suggestion: Suggestion): void {
    const sent = this.#send(hostId, suggestion).catch((error: unknown) => {
      this.#log('a job could not be sent', { job: suggestion.jobId, host: hostId, error: reasonOf(error) });
    });
    this.ctx.waitUntil(sent);
  }

  /** If this object is evicted meanwhile, the job's lease expires, or was never granted. */
  async #send(hostId: string, suggestion: Suggestion): Promise<void> {
    const host = this.#host;
    if (!host?.push || openSlots(host.circuit, host.push.slots) === 0) {
      // The dispatcher lacks the last change. The job is suggested again later.
      if (host) await this.#sync();
      else await this.#dispatcher.unregisterPushHost(hostId);
      return;
    }
    const { jobId } = suggestion;
    const requestId = crypto.randomUUID();
    const { capabilities } = host.push;
    const { blocked } = await this.#controls.read();
    const claimed = await this.#job(jobId).claim({
      hostId,
      requestId,
      isSent: true,
      blocked,
      renderer: capabilities.renderer,
      skills: capabilities.skills,
      gameBuild: capabilities.game_build ?? undefined,
    });
    if (!claimed.ok) {
      if (claimed.refusal === 'not_queued') await this.#dispatcher.drop(suggestion);
      return;
    }
    const { fence } = claimed.value;
    const secret = await pushSecretOf(this.#settings.clipIdSecret, hostId, host.tokenSha256);
    const grant = grantOf(jobId, claimed.value, { ...this.#settings, blocked }, requestId);
    const answer = await sendGrant(
      { url: host.push.url, secret, headers: host.headers },
      grant,
      this.#settings,
      Date.now(),
    );
    this.#log('job sent', { requestId, job: jobId, fence, host: hostId, answer: answer.kind }, 'info');
    // Before the job is released: it would be suggested to the same host.
    await this.#note(answer, host.circuit);
    if (answer.kind === 'taken') await this.#job(jobId).heartbeat({ hostId, fence, phase: 'prefetch', progress: 0 });
    else await this.#job(jobId).release({ hostId, fence, requestId, isRefused: true });
  }

  /** Updates the host's circuit after its answer. `before`: the circuit when the grant was sent. */
  async #note(answer: PushAnswer, before: Circuit): Promise<void> {
    const host = this.#host;
    if (!host) return;
    const circuit = afterAnswer(host.circuit, before, answer);
    const refusal = answer.kind === 'taken' ? null : { why: answer.why, isAsked: answer.kind === 'busy' };
    const { failures, restUntil } = host.circuit;
    if (circuit.failures === failures && circuit.restUntil === restUntil && refusal === host.refusal) return;
    this.#keep({ ...host, circuit, refusal });
    if (refusal) {
      const { why, isAsked } = refusal;
      this.#log('a push host rests', { host: host.id, ...circuit, why }, isAsked ? 'info' : 'error');
    }
    await this.#sync();
  }

  #keep(host: StoredPushHost): void {
    this.ctx.storage.transactionSync(() => {
      this.#store.save(host);
      // Fires unless the dispatcher has the change by then.
      void this.ctx.storage.setAlarm(Date.now() + SYNC_AGAIN_MS);
    });
    this.#host = host;
  }

  /** Never rejects: the alarm tries again. */
  async #syncNow(): Promise<void> {
    const host = this.#host;
    if (!host) return;
    const { id, push, circuit, policy, refusal } = host;
    const slots = push ? Math.min(openSlots(circuit, push.slots), this.#settings.hostSlots) : 0;
    try {
      if (push) {
        const capability = capabilityOf(push.capabilities);
        const rest = refusal && { ...refusal, until: circuit.restUntil };
        await this.#dispatcher.registerPushHost({ hostId: id, slots, capability, policy, rest });
      } else await this.#dispatcher.unregisterPushHost(id);
    } catch (error) {
      this.#log('a push host could not be registered', { host: id, error: reasonOf(error) });
      await this.ctx.storage.setAlarm(Date.now() + SYNC_AGAIN_MS);
      return;
    }
    // The host has changed since: the next run sends that.
    if (this.#host !== host) return;
    if (push === null) {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      this.#host = null;
    } else if (circuit.restUntil === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(circuit.restUntil);
  }

  /** A stub is broken for good once its object was reset, so each call gets a new one. */
  get #dispatcher(): DispatcherStub {
    return dispatcherOf(placedIn(this.env.DISPATCHER, this.#settings.place));
  }

  #job(jobId: string): RenderJobStub {
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
