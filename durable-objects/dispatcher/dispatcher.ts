import { DurableObject } from 'cloudflare:workers';
import type { Offer } from '#domain/host/fair-queue.ts';
import type { HostPolicy } from '#domain/host/host-state.ts';
import type { Need } from '#domain/host/need.ts';
import type { AttemptEnd } from '#domain/host/set-aside.ts';
import { placedIn } from '#platform/placed-in.ts';
import { settingsOf } from '#platform/settings.ts';
import type { ObjectBindings } from '#rpc/bindings.ts';
import type {
  DispatcherNumbers,
  DispatcherRpc,
  HostActivity,
  RegisteredPushHost,
  Suggestion,
  Tally,
  WorkQuery,
} from '#rpc/dispatcher.ts';
import { createTallySums } from '#service/lib/isolate-tally.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { createHostBook, type HostBook } from './host-book.ts';
import { createPolls, type Polls } from './polls.ts';
import { createPushHosts, type PushHosts } from './push-hosts.ts';

type Bindings = Pick<ObjectBindings, 'PUSH_HOST'>;

const now = () => Date.now();
/**
 * Only for waits below a minute. Before compatibility date 2026-10-01 an object that is not called is evicted with its
 * timers after 70 to 140 seconds; from then on a timer keeps it in memory, which is billed, for up to 15 minutes.
 * https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/
 * https://developers.cloudflare.com/changelog/post/2026-10-01-pending-io-keep-alive/
 */
const later = (ms: number, work: () => void) => void setTimeout(work, ms);

/** The object around `createDispatch`: holds polls, and sends jobs to push hosts. */
export class Dispatcher extends DurableObject<Bindings> implements DispatcherRpc {
  readonly #dispatch: Dispatch;
  readonly #hosts: HostBook;
  readonly #polls: Polls;
  readonly #pushHosts: PushHosts;
  readonly #tallies = createTallySums(now);
  /** When the alarm fires, as far as this instance has set it. */
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const settings = settingsOf(env);
    this.#dispatch = createDispatch({
      storage: ctx.storage,
      now,
      newToken: () => crypto.randomUUID(),
      share: settings.accountShare,
      wake: (ms) => later(ms, () => this.#dispatch.look()),
    });
    this.#hosts = createHostBook(ctx.storage, now, settings.schedule.leaseTtl);
    this.#polls = createPolls(this.#dispatch, this.#hosts);
    const pushHosts = placedIn(env.PUSH_HOST, settings.place);
    this.#pushHosts = createPushHosts({
      sql: ctx.storage.sql,
      dispatch: this.#dispatch,
      hosts: this.#hosts,
      // After a failed call the suggestion is not confirmed, so the job is suggested again later.
      push: (hostId, suggestion) =>
        void pushHosts
          .getByName(hostId)
          .push(hostId, suggestion)
          .catch(() => {}),
      wakeAt: (at) => {
        if (at >= this.#alarmAt) return;
        this.#alarmAt = at;
        void ctx.storage.setAlarm(at);
      },
    });
    this.#dispatch.look();
  }

  /** Sends jobs to push hosts whose hold has ended. */
  override alarm(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    this.#pushHosts.refreshAll();
    this.#dispatch.look();
  }

  offer(offer: Offer): void {
    this.#dispatch.offer(offer);
  }

  next(query: WorkQuery) {
    return this.#polls.next(query);
  }

  endPoll(pollId: string): void {
    this.#polls.end(pollId);
  }

  registerPushHost(host: RegisteredPushHost): void {
    this.#pushHosts.register(host);
    this.#dispatch.look();
  }

  unregisterPushHost(hostId: string): void {
    this.#pushHosts.unregister(hostId);
  }

  started(jobId: string, hostId: string): void {
    this.#hosts.started(hostId);
    this.#dispatch.started(jobId, hostId);
  }

  settle(jobId: string, end?: AttemptEnd): void {
    if (end && this.#hosts.ended(jobId, end, this.#dispatch.hasOther(end.hostId))) this.#polls.endOf(end.hostId);
    const isPushHost = end !== undefined && this.#pushHosts.has(end.hostId);
    // Before its slot is free: this end may set the host aside, or end that.
    if (isPushHost) this.#pushHosts.refresh(end.hostId);
    this.#dispatch.settle(jobId);
    if (isPushHost) this.#dispatch.look();
  }

  drop(suggestion: Suggestion): void {
    this.#dispatch.drop(suggestion);
  }

  takeBack(suggestion: Suggestion): void {
    this.#dispatch.takeBack(suggestion);
  }

  revise(hostId: string, policy: HostPolicy, forgive: boolean): void {
    this.#hosts.revise(hostId, policy);
    if (forgive) this.#hosts.forgive(hostId);
    this.#polls.endOf(hostId);
    this.#pushHosts.refresh(hostId);
    this.#dispatch.look();
  }

  suspend(accountId: string, isSuspended: boolean): void {
    this.#dispatch.suspend(accountId, isSuspended);
  }

  hostActivity(hostIds: readonly string[], jobs: number, ended: number): HostActivity[] {
    return hostIds.map((id) => ({ ...this.#hosts.activity(id, ended), jobs: this.#dispatch.jobsOf(id, jobs) }));
  }

  hasKindFor(need: Need) {
    return this.#hosts.hasKindFor(need);
  }

  hasHostFor(need: Need, withinMs: number) {
    return this.#hosts.hasHostFor(need, withinMs);
  }

  findJobs(jobIds: readonly string[], hasPlaces: boolean) {
    return this.#dispatch.findJobs(jobIds, hasPlaces);
  }

  fleet() {
    return this.#hosts.fleet(this.#dispatch.loads(), this.#polls.hosts());
  }

  addTally(tally: Tally): void {
    this.#tallies.add(tally);
  }

  numbers(): DispatcherNumbers {
    const totals = { ...this.#dispatch.totals(), ...this.#hosts.totals(), ...this.#tallies.totals() };
    const { backlogs, needBacklogs, leased } = this.#dispatch;
    const suspended = this.#dispatch.suspended();
    const refused = totals.refused.filter(({ accountId }) => !suspended.includes(accountId));
    const counts = { backlogs: backlogs(), needs: needBacklogs(), leased: leased(), hosts: this.#hosts.count() };
    return { ...totals, refused, ...counts, fleet: this.fleet() };
  }
}
