import type { StoredFile } from '#domain/clip/clip.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { ProblemError } from '#http/problem.ts';
import { bodyMemories, bodyTooLarge, chunksOf, readBytes } from '#http/read-body.ts';
import { TransientError } from '#http/to-problem.ts';
import { toHex } from '#platform/digest.ts';

/** What a body on its way to storage has in memory. */
const CHUNKS_BYTES = 64 * 1024;
/** The longest body that is read first, because storage needs its length. */
const MOST_UNSIZED = 1024 * 1024;

/**
 * Streams a body into storage with `put`, and checks its length and SHA-256. The last chunk is held back until the whole
 * body has passed: if it is wrong, the stream fails and storage keeps nothing. At most two chunks are in memory. `bytes`
 * is the length announced to storage. `expected`: the SHA-256, unless the whole file is checked later. `check` gets each
 * chunk before storage, and may throw a problem. Throws a problem: 409 for wrong content, 408 for a body that is not
 * whole, and those of `check` and `orIncomplete`.
 */
export async function storeBody<T>(
  body: ReadableStream<Uint8Array>,
  bytes: number,
  put: (stream: ReadableStream<Uint8Array>) => Promise<T>,
  { expected, check }: { readonly expected?: string; readonly check?: (chunk: Uint8Array) => void } = {},
): Promise<{ readonly stored: T; readonly sha256: string }> {
  const { readable, writable } = new FixedLengthStream(bytes);
  const out = writable.getWriter();
  let refusal: ProblemError | null = null;
  let sha256 = '';
  const ended = pump().catch((error) => {
    // Set before the reader gets the error.
    if (error instanceof ProblemError) refusal = error;
    return out.abort(error).catch(() => {});
  });
  const sent = put(readable).catch(async (error) => {
    // Ends a body that storage has refused.
    await readable.cancel().then(
      () => ended,
      () => {},
    );
    throw refusal ?? error;
  });
  return { stored: await orIncomplete(sent), sha256 };

  async function pump(): Promise<void> {
    const digest = new crypto.DigestStream('SHA-256');
    digest.digest.catch(() => {});
    const hashing = digest.getWriter();
    let held: Uint8Array | null = null;
    let length = 0;
    for await (const chunk of chunksOf(body)) {
      length += chunk.byteLength;
      if (length > bytes) throw notWhole(bytes);
      check?.(chunk);
      await hashing.write(chunk);
      if (held) await out.write(held);
      held = chunk;
    }
    if (length < bytes) throw notWhole(bytes);
    await hashing.close();
    sha256 = toHex(new Uint8Array(await digest.digest));
    if (expected !== undefined && sha256 !== expected) {
      throw new ProblemError('upload_incomplete', 'The part arrived with another SHA-256 than announced.');
    }
    if (held) await out.write(held);
    await out.close();
  }
}

function notWhole(bytes: number): ProblemError {
  return new ProblemError('request_timeout', `The body does not have the ${bytes} bytes that were announced.`);
}

/**
 * Returns a body with its length, which storage needs first. A body that announces none is read first, unless it is
 * long and its length is `known`. Throws a problem: 413 for more than `most` bytes, 411 for a long one of unknown length.
 */
export async function sizedBody(
  request: Request,
  most: number,
  known = 0,
): Promise<{ body: ReadableStream<Uint8Array>; bytes: number }> {
  const announced = request.headers.get('Content-Length');
  const bytes = announced === null ? known : Number(announced);
  if (request.body !== null && (announced !== null || known > MOST_UNSIZED)) {
    if (bytes > most) throw bodyTooLarge(most);
    bodyMemories.get(request)?.take(Math.min(bytes, CHUNKS_BYTES));
    return { body: request.body, bytes };
  }
  const longer = `Send a body of more than ${MOST_UNSIZED} bytes with a Content-Length.`;
  const read = await readBytes(request, MOST_UNSIZED, new ProblemError('length_required', longer));
  return { body: new Blob([read]).stream(), bytes: read.byteLength };
}

/** R2 does not have the upload or its parts: NoSuchUpload and both kinds of InvalidPart. */
const NOT_THERE = /\((?:10024|10025|10048)\)/;

/**
 * Runs one step of an upload. If storage does not have the upload, throws 409, and the host begins it again. For other
 * errors of storage, throws 503, and the host repeats the step only: a file of gigabytes is not sent again.
 */
export async function orIncomplete<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const reason = reasonOf(error);
    if (NOT_THERE.test(reason)) throw new ProblemError('upload_incomplete', `Storage refused: ${reason}`);
    throw new TransientError('storage failed at a step of an upload', { cause: error });
  }
}

/** Throws a problem unless storage has the file with the announced size and SHA-256. */
export async function requireContent(files: R2Bucket, { key, bytes, sha256 }: StoredFile): Promise<void> {
  const object = await files.get(key);
  if (object?.size !== bytes) {
    await object?.body.cancel();
    const found = object ? `has ${object.size} bytes` : 'is not there';
    throw new ProblemError('upload_incomplete', `${key} ${found}, announced were ${bytes} bytes.`);
  }
  const digest = new crypto.DigestStream('SHA-256');
  await object.body.pipeTo(digest);
  if (toHex(new Uint8Array(await digest.digest)) !== sha256) {
    throw new ProblemError('upload_incomplete', `${key} has another SHA-256 than announced.`);
  }
}
