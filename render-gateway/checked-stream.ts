import { ProblemError } from '#http/problem.ts';
import { bodyTooLarge, chunksOf, readBytes } from '#http/read-body.ts';
import { toHex } from '#platform/digest.ts';
import { PART_BYTES } from '#protocol/gateway.ts';

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
 * memory at a time, whatever the length. `bytes` is the length that storage is told to expect. A `sha256` of null: the
 * whole file is looked at later.
 */
export function checkedStream(
  body: ReadableStream<Uint8Array>,
  bytes: number,
  sha256: string | null = null,
): CheckedStream {
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
    const arrived = toHex(new Uint8Array(await digest.digest));
    if (sha256 !== null && arrived !== sha256) {
      throw new ProblemError('upload_incomplete', 'The part arrived with another SHA-256 than announced.');
    }
    if (held) await out.write(held);
    await out.close();
  }
}

/**
 * The body of a part. Storage wants to know the length first. A body that does not say it is short enough to be read.
 */
export async function sizedBody(request: Request): Promise<{ body: ReadableStream<Uint8Array>; bytes: number }> {
  const announced = request.headers.get('Content-Length');
  if (request.body !== null && announced !== null) {
    if (Number(announced) > PART_BYTES) throw bodyTooLarge(PART_BYTES);
    return { body: request.body, bytes: Number(announced) };
  }
  const read = await readBytes(request, PART_BYTES);
  return { body: new Blob([read]).stream(), bytes: read.byteLength };
}
