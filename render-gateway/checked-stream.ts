import { ProblemError } from '#http/problem.ts';
import { bodyTooLarge, chunksOf, readBytes } from '#http/read-body.ts';
import { toHex } from '#platform/digest.ts';
import { PART_BYTES } from '#protocol/gateway.ts';

/** The slowest line that is supported: a part takes ten minutes. */
const LEAST_BYTES_A_MS = PART_BYTES / (10 * 60_000);

/** A body that is checked while it streams into storage. */
export interface CheckedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** The problem that ended the stream: 409 for wrong content, 408 for a body that is not whole; null otherwise. */
  readonly refusal: () => ProblemError | null;
  /** Returns the SHA-256 of the body. Empty until storage has the body. */
  readonly sha256: () => string;
  /** Cancels the body after storage has refused it. */
  readonly release: () => Promise<void>;
}

/**
 * Checks the SHA-256 and the length of a body as it streams. The last chunk is held back until the whole body has
 * passed: if it is wrong, the stream fails and storage keeps nothing. At most two chunks are in memory. `bytes` is the
 * length announced to storage. `sha256` null: the whole file is checked later.
 */
export function checkedStream(
  body: ReadableStream<Uint8Array>,
  bytes: number,
  sha256: string | null = null,
): CheckedStream {
  const { readable, writable } = new FixedLengthStream(bytes);
  let refused: ProblemError | null = null;
  let arrived = '';
  const out = writable.getWriter();
  const ended = pump().catch((error) => {
    // Set before the reader gets the error.
    if (error instanceof ProblemError) refused = error;
    return out.abort(error).catch(() => {});
  });
  return {
    stream: readable,
    refusal: () => refused,
    sha256: () => arrived,
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
    let length = 0;
    for await (const chunk of chunksOf(body, Math.max(bytes, PART_BYTES) / LEAST_BYTES_A_MS)) {
      length += chunk.byteLength;
      if (length > bytes) throw notWhole(bytes);
      await hashing.write(chunk);
      if (held) await out.write(held);
      held = chunk;
    }
    if (length < bytes) throw notWhole(bytes);
    await hashing.close();
    arrived = toHex(new Uint8Array(await digest.digest));
    if (sha256 !== null && arrived !== sha256) {
      throw new ProblemError('upload_incomplete', 'The part arrived with another SHA-256 than announced.');
    }
    if (held) await out.write(held);
    await out.close();
  }
}

function notWhole(bytes: number): ProblemError {
  return new ProblemError('request_timeout', `The body does not have the ${bytes} bytes that its Content-Length says.`);
}

/**
 * Returns the body of a part with its length, which storage needs first. A body without a length is buffered, because
 * it is short.
 */
export async function sizedBody(
  request: Request,
  most = PART_BYTES,
): Promise<{ body: ReadableStream<Uint8Array>; bytes: number }> {
  const announced = request.headers.get('Content-Length');
  if (request.body !== null && announced !== null) {
    if (Number(announced) > most) throw bodyTooLarge(most);
    return { body: request.body, bytes: Number(announced) };
  }
  const read = await readBytes(request, most);
  return { body: new Blob([read]).stream(), bytes: read.byteLength };
}
