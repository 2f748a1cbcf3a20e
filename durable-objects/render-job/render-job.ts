import { DurableObject } from 'cloudflare:workers';
import { settingsOf } from '#platform/settings.ts';
import type { ClipInclude } from '#protocol/clip-view.ts';
import type { JobInclude } from '#protocol/job-detail.ts';
import type {
  AccountCalls,
  Claim,
  ClipChange,
  Heartbeat,
  HostCalls,
  InspectionSubmission,
  LeaseHolder,
  RenderJobRpc,
  Retry,
  ServiceCalls,
  Submission,
} from '#rpc/render-job.ts';
import type { Bindings } from '#service/bindings.ts';
import { createAccountCalls } from './account-calls.ts';
import { createHostCalls } from './host-calls.ts';
import { OpenJob } from './open-job.ts';
import { effectContextOf } from './run-effect.ts';
import { createServiceCalls } from './service-calls.ts';

/** The object of one job. It owns the state of the job and of its clip (contract 3). */
export class RenderJob extends DurableObject<Bindings> implements RenderJobRpc {
  readonly #job: OpenJob;
  readonly #account: AccountCalls;
  readonly #host: HostCalls;
  readonly #service: ServiceCalls;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const settings = settingsOf(env);
    this.#job = new OpenJob(ctx, settings, () => effectContextOf(this.env, settings));
    this.#account = createAccountCalls(this.#job);
    this.#host = createHostCalls(this.#job);
    this.#service = createServiceCalls(this.#job);
  }

  override alarm() {
    return this.#job.wake();
  }

  // Callers of the API.
  submit(submission: Submission) {
    return this.#account.submit(submission);
  }
  inspectDemo(submission: InspectionSubmission) {
    return this.#account.inspectDemo(submission);
  }
  readDemo(accountId: string) {
    return this.#account.readDemo(accountId);
  }
  readReplay(accountId: string) {
    return this.#account.readReplay(accountId);
  }
  addTracks(accountId: string, cut: Parameters<AccountCalls['addTracks']>[1]) {
    return this.#account.addTracks(accountId, cut);
  }
  read(accountId: string, include?: readonly JobInclude[]) {
    return this.#account.read(accountId, include);
  }
  resubmit(accountId: string, options?: Parameters<AccountCalls['resubmit']>[1]) {
    return this.#account.resubmit(accountId, options);
  }
  cancel(accountId: string | null, requestId?: string) {
    return this.#account.cancel(accountId, requestId);
  }
  resendWebhook(accountId: string) {
    return this.#account.resendWebhook(accountId);
  }
  deliveries(accountId: string) {
    return this.#account.deliveries(accountId);
  }
  watch(accountId: string, include?: readonly JobInclude[], lastEventId?: string | null) {
    return this.#account.watch(accountId, include, lastEventId);
  }
  readClip(accountId: string, clipId: string, include?: readonly ClipInclude[]) {
    return this.#account.readClip(accountId, clipId, include);
  }
  changeClip(accountId: string, change: ClipChange) {
    return this.#account.changeClip(accountId, change);
  }

  // Render hosts.
  claim(claim: Claim) {
    return this.#host.claim(claim);
  }
  leased(holder: LeaseHolder) {
    return this.#host.leased(holder);
  }
  heartbeat(heartbeat: Heartbeat) {
    return this.#host.heartbeat(heartbeat);
  }
  uploadBegun(begun: Parameters<HostCalls['uploadBegun']>[0]) {
    return this.#host.uploadBegun(begun);
  }
  complete(completed: Parameters<HostCalls['complete']>[0]) {
    return this.#host.complete(completed);
  }
  inspected(inspected: Parameters<HostCalls['inspected']>[0]) {
    return this.#host.inspected(inspected);
  }
  fail(failed: Parameters<HostCalls['fail']>[0]) {
    return this.#host.fail(failed);
  }
  release(released: Parameters<HostCalls['release']>[0]) {
    return this.#host.release(released);
  }

  // The cron and the operator.
  runOverdue() {
    return this.#service.runOverdue();
  }
  expireClip(renderedBefore: number) {
    this.#service.expireClip(renderedBefore);
  }
  forgetDemo(finishedBefore: number) {
    return this.#service.forgetDemo(finishedBefore);
  }
  forgetRequest(finishedBefore: number) {
    return this.#service.forgetRequest(finishedBefore);
  }
  deleteIfSpare(accountId: string) {
    return this.#service.deleteIfSpare(accountId);
  }
  erase(row: Parameters<ServiceCalls['erase']>[0]) {
    return this.#service.erase(row);
  }
  reindex() {
    return this.#service.reindex();
  }
  recover(target: number | string) {
    return this.#service.recover(target);
  }
  restart() {
    this.#service.restart();
  }
  recovered(seen: Parameters<ServiceCalls['recovered']>[0]) {
    return this.#service.recovered(seen);
  }
  takeDown(removed: Parameters<ServiceCalls['takeDown']>[0]) {
    return this.#service.takeDown(removed);
  }
  republish() {
    this.#service.republish();
  }
  post(post: Parameters<ServiceCalls['post']>[0]) {
    this.#service.post(post);
  }
  ownsFile(key: string) {
    return this.#service.ownsFile(key);
  }
  retry(asked: Retry) {
    return this.#service.retry(asked);
  }
  activity() {
    return this.#service.activity();
  }
  story() {
    return this.#service.story();
  }
}
