import type { JobNotice } from '../../protocol/job-notice.ts';

const encoder = new TextEncoder();

/** Ignored by readers of the stream. The edge cuts a stream that says nothing for some minutes. */
const COMMENT = encoder.encode(':\n\n');
const COMMENT_EVERY_MS = 20_000;
/** A watcher that takes nothing for so long is gone, whatever its connection says: each one keeps the object awake. */
const PATIENCE_MS = 10 * 60_000;
/** One that leaves so many notices unread is let go: it may connect again, and memory is not its buffer. */
const MOST_WAITING = 64;

interface Watcher {
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  /** Writes that were not taken yet. */
  waiting: number;
  /** When it last took something, or had taken everything. */
  tookAt: number;
}

/** Clients that follow one job as server-sent events. They live in memory and reconnect when the object moves. */
export class Watchers {
  readonly #watchers = new Set<Watcher>();
  #timer: ReturnType<typeof setInterval> | null = null;

  get size(): number {
    return this.#watchers.size;
  }

  /** A stream of `text/event-stream` bytes that begins with the present state and ends with the outcome. */
  add(first: JobNotice, isLast: boolean): ReadableStream<Uint8Array> {
    const { readable, writable } = new IdentityTransformStream();
    const watcher: Watcher = { writer: writable.getWriter(), waiting: 0, tookAt: Date.now() };
    this.#watchers.add(watcher);
    this.#send(watcher, first, isLast);
    this.#timer ??= setInterval(() => this.#look(), COMMENT_EVERY_MS);
    return readable;
  }

  tell(notice: JobNotice, isLast: boolean): void {
    for (const watcher of this.#watchers) this.#send(watcher, notice, isLast);
  }

  #send(watcher: Watcher, notice: JobNotice, isLast: boolean): void {
    this.#write(watcher, encodeNotice(notice));
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

  /** Shows each watcher that the stream lives, and gives up those that do not. */
  #look(): void {
    for (const watcher of this.#watchers) {
      if (watcher.waiting === 0) this.#write(watcher, COMMENT);
      else if (Date.now() - watcher.tookAt >= PATIENCE_MS) this.#giveUp(watcher, 'nothing was taken for ten minutes');
    }
  }

  #giveUp(watcher: Watcher, reason: string): void {
    this.#drop(watcher);
    watcher.writer.abort(reason).catch(() => {});
  }

  #drop(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0 || this.#timer === null) return;
    // A timer that stands keeps the object in memory.
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

function encodeNotice(notice: JobNotice): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(notice)}\n\n`);
}
