import type { JobNotice } from '../../protocol/job-notice.ts';

const encoder = new TextEncoder();

/** A client that leaves so many notices unread is let go: it may connect again, and memory is not its buffer. */
const MAX_PENDING = 64;

/** Clients that follow one job as server-sent events. They live in memory and reconnect when the object moves. */
export class Watchers {
  /** With the notices that each has not taken yet. */
  readonly #writers = new Map<WritableStreamDefaultWriter<Uint8Array>, number>();

  get size(): number {
    return this.#writers.size;
  }

  /** A stream of `text/event-stream` bytes that begins with the present state and ends with the outcome. */
  add(first: JobNotice, isLast: boolean): ReadableStream<Uint8Array> {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    this.#writers.set(writer, 0);
    this.#send(writer, first, isLast);
    return readable;
  }

  tell(notice: JobNotice, isLast: boolean): void {
    for (const writer of this.#writers.keys()) this.#send(writer, notice, isLast);
  }

  #send(writer: WritableStreamDefaultWriter<Uint8Array>, notice: JobNotice, isLast: boolean): void {
    const gone = () => this.#writers.delete(writer);
    const pending = this.#writers.get(writer) ?? 0;
    if (pending >= MAX_PENDING) {
      gone();
      void writer.abort(new Error('the client has stopped reading')).catch(() => {});
      return;
    }
    this.#writers.set(writer, pending + 1);
    writer.write(encodeNotice(notice)).then(() => this.#taken(writer), gone);
    if (!isLast) return;
    gone();
    writer.close().catch(gone);
  }

  #taken(writer: WritableStreamDefaultWriter<Uint8Array>): void {
    const pending = this.#writers.get(writer);
    if (pending !== undefined) this.#writers.set(writer, pending - 1);
  }
}

function encodeNotice(notice: JobNotice): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(notice)}\n\n`);
}
