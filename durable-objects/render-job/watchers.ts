import type { JobInclude, JobNotice } from '#protocol/job/job-detail.ts';
import { COMMENT, COMMENT_EVERY_MS, eventText, type ServerEvent } from '#protocol/lib/text-formats.ts';
import { tally } from '#service/lib/isolate-tally.ts';

const encoder = new TextEncoder();
const COMMENT_BYTES = encoder.encode(COMMENT);

/** A notice of a job. Its id is the job's version. */
export interface Notice extends ServerEvent {
  readonly data: JobNotice;
}
type Include = readonly JobInclude[];

/** A watcher that reads nothing for this time is dropped, because each watcher keeps the object in memory. */
const PATIENCE_MS = 60_000;
/** A watcher with more unread notices is dropped and may reconnect. */
const MOST_WAITING = 64;

interface Watcher {
  readonly include: Include;
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  /** Pending writes. */
  waiting: number;
  /** When its last write was accepted, or nothing was pending. */
  tookAt: number;
}

/** Clients that follow one job as server-sent events. They live in memory and reconnect when the object moves. */
export class Watchers {
  readonly #watchers = new Set<Watcher>();
  readonly #now: (include: Include) => Promise<Notice>;
  readonly #onLife: () => void;
  #timer: ReturnType<typeof setInterval> | null = null;

  /**
   * `now`: returns the present notice, including the place in the queue. `onLife`: called from time to time while there
   * are watchers.
   */
  constructor(now: (include: Include) => Promise<Notice>, onLife: () => void = () => {}) {
    this.#now = now;
    this.#onLife = onLife;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Returns a stream of `text/event-stream` bytes from the present state to the outcome. */
  add(first: Notice, isLast: boolean, include: Include = []): ReadableStream<Uint8Array> {
    const { readable, writable } = new IdentityTransformStream();
    const watcher: Watcher = { include, writer: writable.getWriter(), waiting: 0, tookAt: Date.now() };
    this.#watchers.add(watcher);
    tally.follow(1);
    this.#onLife();
    this.#send(watcher, eventText(first, true), isLast);
    this.#timer ??= setInterval(() => this.#look(), COMMENT_EVERY_MS);
    return readable;
  }

  notify(notice: (include: Include) => Notice, isLast: boolean): void {
    for (const watcher of this.#watchers) this.#send(watcher, eventText(notice(watcher.include)), isLast);
  }

  #send(watcher: Watcher, text: string, isLast: boolean): void {
    this.#write(watcher, encoder.encode(text));
    if (!isLast) return;
    this.#drop(watcher);
    watcher.writer.close().catch(() => {});
  }

  #write(watcher: Watcher, bytes: Uint8Array): void {
    if (watcher.waiting >= MOST_WAITING) {
      this.#giveUp(watcher, `${MOST_WAITING} notices were not taken`);
      return;
    }
    if (watcher.waiting === 0) watcher.tookAt = Date.now();
    watcher.waiting++;
    watcher.writer.write(bytes).then(
      () => {
        watcher.waiting--;
        watcher.tookAt = Date.now();
      },
      () => this.#drop(watcher),
    );
  }

  /** Sends a sign of life to each watcher and drops stalled ones. */
  #look(): void {
    this.#onLife();
    for (const watcher of this.#watchers) {
      if (watcher.waiting === 0) void this.#showLife(watcher);
      else if (Date.now() - watcher.tookAt >= PATIENCE_MS) this.#giveUp(watcher, 'nothing was taken for a minute');
    }
  }

  /** Sends a comment, or the place in the queue to those who include it: it changes without the job. */
  async #showLife(watcher: Watcher): Promise<void> {
    const notice = watcher.include.includes('queue') ? await this.#now(watcher.include).catch(() => null) : null;
    if (!this.#watchers.has(watcher)) return;
    if (notice?.data.status === 'pending') this.#send(watcher, eventText(notice), false);
    else this.#write(watcher, COMMENT_BYTES);
  }

  #giveUp(watcher: Watcher, reason: string): void {
    this.#drop(watcher);
    watcher.writer.abort(reason).catch(() => {});
  }

  #drop(watcher: Watcher): void {
    if (this.#watchers.delete(watcher)) tally.follow(-1);
    if (this.#watchers.size > 0 || this.#timer === null) return;
    // A pending timer keeps the object in memory.
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
