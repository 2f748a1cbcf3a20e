import { DurableObject } from 'cloudflare:workers';
import { spareSince } from '#domain/forget.ts';
import { fieldsOf, type JobStatus } from '#domain/job.ts';
import { reasonOf } from '#domain/reason.ts';
import { type Result, refuse, value } from '#domain/result.ts';
import { ownsFile } from '#domain/storage-keys.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import { findJobRow } from '#storage/all-jobs.ts';
import { isOver } from './inspection.ts';
import type { JobEngine } from './job-engine.ts';
import { JobFollowers } from './job-followers.ts';
import { meterAgain } from './meter-again.ts';
import { openEngine } from './open-engine.ts';
import { type EffectWorld, effectWorldOf, type JobBindings, publishWhole, runEffect } from './run-effect.ts';
import { NEWER_STATE_WAIT_MS, NewerStateError } from './stored-job.ts';
import { fingerprintOf, forgottenRequest } from './stored-request.ts';
import type { Recovery } from './words.ts';

/** The object of a job, and what the service itself has it do: for its upkeep, and for viewers. */
export class JobObject extends DurableObject<JobBindings> {
  protected readonly settings: Settings;
  protected readonly followers: JobFollowers;
  #opened: JobEngine | NewerStateError;

  constructor(ctx: DurableObjectState, env: JobBindings) {
    super(ctx, env);
    this.settings = settingsOf(env);
    this.followers = new JobFollowers({
      stored: () => this.engine.stored,
      dispatchers: () => this.world.dispatchers,
      sql: ctx.storage.sql,
      settings: this.settings,
    });
    this.#opened = this.#open();
  }

  override async alarm(): Promise<void> {
    // Thrown, it would use up the platform's few retries, after which it drops the alarm.
    if (this.#opened instanceof NewerStateError) void this.ctx.storage.setAlarm(Date.now() + NEWER_STATE_WAIT_MS);
    else await this.#opened.wake();
  }

  /** For the cron: does what is overdue and says when to look again, null when nothing waits. */
  async nudge(): Promise<number | null> {
    await this.engine.wake();
    return this.engine.upkeepAt();
  }

  /** Deletes the clip if it was rendered before the given time and is still not saved. */
  expireClip(renderedBefore: number): void {
    this.engine.apply({ type: 'expire-clip', renderedBefore });
  }

  /** Deletes all that is kept of an inspection that ended before the given time; false where it did not. */
  async forgetDemo(finishedBefore: number): Promise<boolean> {
    if (!isOver(this.engine.stored, finishedBefore)) return false;
    await this.#vanish();
    return true;
  }

  /**
   * Forgets what was asked of the job, and what became of its webhooks and attempts, if it ended before the given time
   * and has no clip. False where it has to be asked once more.
   */
  async forgetWords(finishedBefore: number): Promise<boolean> {
    const { job, request } = this.engine.stored ?? {};
    if (!job || !request || request.kind === 'inspection' || request.forgotten) return true;
    if (!this.engine.isIdle) return false;
    const fingerprint = await fingerprintOf(this.settings.clipIdSecret, job.id, request);
    // It may have been run again meanwhile, with another request.
    if (this.engine.stored?.request !== request || !this.engine.isIdle) return false;
    const forgotten = forgottenRequest(request, { at: Date.now(), fingerprint });
    this.engine.apply({ type: 'forget-words', finishedBefore }, { request: forgotten });
    return true;
  }

  /**
   * Deletes the job to make room for other jobs of its account. Returns false if it is kept: some of its work is not
   * done yet, or it has run again since.
   */
  async giveWay(accountId: string): Promise<boolean> {
    const { stored } = this.engine;
    if (stored === null) return true;
    if (stored.job.accountId !== accountId || spareSince(stored.job, stored.request) === null) return false;
    if (!this.engine.isIdle) return false;
    await this.#vanish();
    return true;
  }

  /**
   * Deletes the job with all that it has anywhere, but for its rows in the index; what viewers see stays, that the clip
   * was deleted. False while something of it is left: it has to be asked once more.
   */
  async erase(accountId: string): Promise<boolean> {
    const { stored } = this.engine;
    if (stored === null) return true;
    if (stored.job.accountId !== accountId) return false;
    this.engine.apply({ type: 'erase' });
    await this.engine.wake();
    if (!this.engine.isIdle) return false;
    await this.#vanish();
    return true;
  }

  /** Writes the job's rows of the index, and what viewers see, where these are not as the job is. */
  async reindex(): Promise<'empty' | 'current' | 'indexed'> {
    const { stored } = this.engine;
    if (!stored) return 'empty';
    const { job } = stored;
    const row = await findJobRow(this.world.databases.of(job.database), job.id);
    if (row?.version === job.version) {
      if (job.clip) await publishWhole(this.world, stored);
      return 'current';
    }
    await this.recovered({ version: row?.version ?? 0, fence: 0 });
    await meterAgain(this.world, job, Date.now());
    return 'indexed';
  }

  /**
   * Has the object begin anew as it was at a time (milliseconds since the epoch) or a bookmark, once it is restarted.
   * Also where its state cannot be read. Answers with what leads back, and with what has been since.
   */
  async recover(target: number | string): Promise<Result<Recovery, 'not_implemented'>> {
    const { storage } = this.ctx;
    const { version = 0, fence = 0 } = this.#opened instanceof NewerStateError ? {} : (this.engine.stored?.job ?? {});
    try {
      const bookmark = typeof target === 'string' ? target : await storage.getBookmarkForTime(target);
      return value({ undo: await storage.onNextSessionRestoreBookmark(bookmark), version, fence });
    } catch (error) {
      if (reasonOf(error).includes('does not implement point-in-time recovery')) return refuse('not_implemented');
      throw error;
    }
  }

  /** The caller's connection breaks. */
  restart(): void {
    this.ctx.abort('the object is taken back to an earlier state');
  }

  /** Has the index and viewers see the job as it is; what they have seen of a later one does not count. */
  async recovered(seen: Pick<Recovery, 'version' | 'fence'>): Promise<JobStatus | null> {
    if (!this.engine.stored) return null;
    this.engine.apply({ type: 'recovered', ...seen });
    await this.engine.wake();
    if (!this.engine.stored.outbox.every(({ effect }) => effect.type !== 'project')) {
      throw new Error('the index was not told of the job');
    }
    return this.engine.stored.job.status;
  }

  /** The account has its clips shown otherwise: what viewers read is written again. */
  showAnew(): void {
    this.engine.apply({ type: 'show-anew' });
  }

  /** Whether the file belongs to a lease that is held, or to the clip as it stands: nothing else may be in storage. */
  ownsFile(key: string): boolean {
    return this.engine.stored !== null && ownsFile(fieldsOf(this.engine.stored.job), key);
  }

  protected get engine(): JobEngine {
    if (this.#opened instanceof NewerStateError) throw this.#opened;
    return this.#opened;
  }

  protected get world(): EffectWorld {
    return effectWorldOf(this.env, this.settings);
  }

  async #vanish(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#opened = this.#open();
  }

  #open(): JobEngine | NewerStateError {
    return openEngine(this.ctx, this.settings, {
      runEffect: (effect, stored, seen) => runEffect(this.world, effect, stored, seen),
      onChange: (job) => this.followers.tell(job),
      accounts: () => this.world.databases.home,
      dispatchers: () => this.world.dispatchers,
    });
  }
}
