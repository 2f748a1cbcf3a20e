import { POST_RUN } from '#domain/job/delivery.ts';
import { isFinished, leaseOf } from '#domain/job/job.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { byteLength } from '#platform/digest.ts';
import { createLog } from '#platform/log.ts';
import type { Settings } from '#platform/settings.ts';
import { webhookOutcome } from '#protocol/job/webhook.ts';
import type { HostCalls } from '#rpc/render-job.ts';
import { prepareDiscord } from '#service/job/send-discord.ts';
import { liveSecrets, prepareWebhook, waitOfAttempt } from '#service/job/send-webhook.ts';
import { tally } from '#service/lib/isolate-tally.ts';
import { JobEngine } from './job-engine.ts';
import { JobFollowers } from './job-followers.ts';
import { type EffectContext, runEffect } from './run-effect.ts';
import { NEWER_STATE_WAIT_MS } from './stored-job.ts';
import { indexedRequest, type StoredRequest } from './stored-request.ts';
import { createTestHost, isOfHosts, type TestHost, testSchedule } from './test-host.ts';

/** The job of an object: its engine, its followers, and the parts that its effects call. */
export class OpenJob {
  readonly ctx: DurableObjectState;
  readonly settings: Settings;
  readonly followers: JobFollowers;
  readonly #context: () => EffectContext;
  readonly #testHost: TestHost;
  /** The error of a state that could not be read. */
  #opened: JobEngine | Error;

  constructor(ctx: DurableObjectState, settings: Settings, context: () => EffectContext, host: HostCalls) {
    this.ctx = ctx;
    this.settings = settings;
    this.#context = context;
    this.followers = new JobFollowers({
      stored: () => this.engine.stored,
      dispatcher: () => this.context.dispatcher,
      sql: ctx.storage.sql,
      settings: this.settings,
    });
    this.#testHost = createTestHost(this, host);
    this.#opened = this.#open();
  }

  /** @throws if the state cannot be read: a NewerStateError if a later version of the service wrote it. */
  get engine(): JobEngine {
    const opened = this.#reopened();
    if (opened instanceof JobEngine) return opened;
    throw opened;
  }

  get isReadable(): boolean {
    return this.#reopened() instanceof JobEngine;
  }

  /** Created each time: a stub is broken for good once a call of it has failed. */
  get context(): EffectContext {
    return this.#context();
  }

  /** The alarm. Never rejects: the platform retries a few times and then deletes the alarm. */
  async wake(): Promise<void> {
    if (this.isReadable) await this.engine.wake();
    else void this.ctx.storage.setAlarm(Date.now() + NEWER_STATE_WAIT_MS);
  }

  /** Deletes everything that the object stores. */
  async deleteAll(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#opened = this.#open();
  }

  /** Takes the runs of rules on that waited for the job, which the index has now. Otherwise the cron does it. */
  #tellRuns(request: StoredRequest): void {
    const { ruleRun, inspectedUpload } = indexedRequest(request, this.settings);
    const of = ruleRun === null ? inspectedUpload : { runId: ruleRun };
    if (of !== null) this.ctx.waitUntil(this.ctx.exports.RuleRuns.advance(of).catch(() => {}));
  }

  /** Tries again after an error, which may have passed. */
  #reopened(): JobEngine | Error {
    if (this.#opened instanceof Error) this.#opened = this.#open();
    return this.#opened;
  }

  #open(): JobEngine | Error {
    const { ctx, settings } = this;
    const log = createLog(settings.logLevel);
    try {
      const engine: JobEngine = new JobEngine({
        runEffect: async (effect, stored, seen) => {
          if (stored.job.isTest && isOfHosts(effect)) return this.#testHost.take(effect);
          const outcome = await runEffect(this.context, effect, stored, seen);
          if (effect.type === 'project' && isFinished(stored.job.status)) this.#tellRuns(stored.request);
          return outcome;
        },
        report: () => this.#testHost.report().catch((error) => log('no report', { error: reasonOf(error) })),
        onChange: (job) => this.followers.notify(job),
        storage: ctx.storage,
        get schedule() {
          return engine.stored?.job.isTest ? testSchedule(engine.stored, settings.schedule) : settings.schedule;
        },
        fenceFloor: settings.fenceFloor,
        resendsAnHour: settings.limits.resends,
        now: () => Date.now(),
        random: Math.random,
        newId: () => crypto.randomUUID(),
        keepAlive: (work) => ctx.waitUntil(work),
        prepare: async (delivery, message, { isForClip, hasPlace }) => {
          const { accountId = '', isTest = false } = engine.stored?.job ?? {};
          const { database, dispatcher, files } = this.context;
          const context = { database, files, settings, log, now: () => Date.now() };
          const attempt =
            delivery.run === POST_RUN
              ? await prepareDiscord(context, message.body)
              : {
                  bytes: byteLength(message.body),
                  send: await prepareWebhook(
                    delivery,
                    message,
                    settings,
                    await liveSecrets(database, settings.clipIdSecret, accountId, Date.now()),
                  ),
                };
          if (!attempt) return null;
          const isUncounted = hasPlace || (isForClip && !isTest);
          const wait = isUncounted ? null : await waitOfAttempt(context, { accountId, isTest, bytes: attempt.bytes });
          if (wait) return wait;
          return async () => {
            const result = await attempt.send();
            tally.attempt(result.status === null ? 'unanswered' : result.error === null ? 'delivered' : 'refused');
            ctx.waitUntil(tally.report(dispatcher));
            return result;
          };
        },
        webhookOutcome: (job) => webhookOutcome(job, settings.baseUrl),
        log,
      });
      if (engine.stored && leaseOf(engine.stored.job)) {
        void ctx.blockConcurrencyWhile(async () => engine.resume(await ctx.storage.getAlarm()));
      }
      return engine;
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
  }
}
