import type { JobNotice } from '../../protocol/job-notice.ts';

const encoder = new TextEncoder();

/** Clients that follow one job as server-sent events. They live in memory and reconnect when the object moves. */
export class Watchers {
  readonly #writers = new Set<WritableStreamDefaultWriter<Uint8Array>>();

  /** A stream of `text/event-stream` bytes that begins with the present state and ends with the outcome. */
  add(first: JobNotice, isLast: boolean): ReadableStream<Uint8Array> {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    this.#writers.add(writer);
    this.#send(writer, first, isLast);
    return readable;
  }

  tell(notice: JobNotice, isLast: boolean): void {
    for (const writer of this.#writers) this.#send(writer, notice, isLast);
  }

  #send(writer: WritableStreamDefaultWriter<Uint8Array>, notice: JobNotice, isLast: boolean): void {
    const gone = () => this.#writers.delete(writer);
    writer.write(encodeNotice(notice)).catch(gone);
    if (!isLast) return;
    gone();
    writer.close().catch(gone);
  }
}

function encodeNotice(notice: JobNotice): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(notice)}\n\n`);
}
