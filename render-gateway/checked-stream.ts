import { ProblemError } from '../http/problem.ts';
import { chunksOf } from '../http/read-body.ts';
import { toHex } from '../platform/digest.ts';

/** 8 MiB at 14 kB/s, from a host that has nothing better. */
const PART_MS = 10 * 60_000;

/** A body on its way into storage. */
export interface CheckedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Why the stream broke off, if it was for what came, or did not come: a 409 or a 408 problem. */
  readonly refusal: () => ProblemError | null;
  /** Lets go of the body where storage does not want it. */
  readonly release: () => Promise<void>;
}

/**
 * Compares a body's SHA-256 as it passes. The last chunk is held back until the whole is known to be what was
 * announced: one that is not breaks the stream off, and storage keeps nothing of it. No more than two chunks are in
 * memory at a time, whatever the length. `bytes` is the length that storage is told to expect.
 */
export function checkedStream(body: ReadableStream<Uint8Array>, bytes: number, sha256: string): CheckedStream {
  const { readable, writable } = new FixedLengthStream(bytes);
  let refused: ProblemError | null = null;
  const out = writable.getWriter();
  const ended = pump().catch((error) => {
    // Before the reader can hear of it.
    if (error instanceof ProblemError) refused = error;
    return out.abort(error).catch(() => {});
  });
  return {
    stream: readable,
    refusal: () => refused,
    release: () =>
      readable.cancel().then(
        () => ended,
        () => {},
      ),
  };

  async function pump(): Promise<void> {
    const digest = new crypto.DigestStream('SHA-256');
    digest.digest.catch(() => {});
    const hashing = digest.getWriter();
    let held: Uint8Array | null = null;
    for await (const chunk of chunksOf(body, PART_MS)) {
      await hashing.write(chunk);
      if (held) await out.write(held);
      held = chunk;
    }
    await hashing.close();
    if (toHex(new Uint8Array(await digest.digest)) !== sha256) {
      throw new ProblemError('upload_incomplete', 'The part arrived with another SHA-256 than announced.');
    }
    if (held) await out.write(held);
    await out.close();
  }
}
