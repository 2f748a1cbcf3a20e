import type * as z from 'zod';
import { fieldErrors } from '#protocol/lib/problem.ts';
import { type IsOpaque, scanJson } from './json-text.ts';
import { invalidRequest, ProblemError } from './problem.ts';

/** The default limit of a JSON body: 256 KiB. */
export const MAX_JSON_BYTES = 256 * 1024;

/** A JSON body, and the texts of opaque fields by path. */
export interface JsonBody {
  readonly value: unknown;
  readonly opaque: ReadonlyMap<string, string>;
}

/**
 * Reads a JSON body. Also returns the texts of opaque fields, for values that must be forwarded unchanged. Throws a
 * problem: 415, 413 (also for a body without a length), or 400.
 */
export async function readJson(request: Request, isOpaque?: IsOpaque, limit = MAX_JSON_BYTES): Promise<JsonBody> {
  if (mediaType(request) !== 'application/json') {
    throw new ProblemError('unsupported_media_type', 'Send the body as application/json.');
  }
  const bytes = await readBytes(request, limit);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalidRequest([{ path: '', message: 'must be UTF-8' }]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ path: '', message: 'must be valid JSON' }]);
  }
  const { duplicate, opaque } = scanJson(text, isOpaque);
  // Parsers differ in which of the two they use (RFC 8259 section 4).
  if (duplicate !== null) throw invalidRequest([{ path: duplicate, message: 'must be sent only once' }]);
  read.set(request, text);
  return { value, opaque };
}

/** Reads a JSON body of a known shape. Throws problems like `readJson`, and 400 with every broken rule. */
export async function readShape<T extends z.ZodType>(request: Request, shape: T, limit?: number): Promise<z.output<T>> {
  return parseShape((await readJson(request, undefined, limit)).value, shape);
}

/** Returns the text of a body that was read as JSON; null otherwise. */
export function textRead(request: Request): string | null {
  return read.get(request) ?? null;
}
const read = new WeakMap<Request, string>();

/** Returns the media type of a body in lower case, without parameters; null if there is none. */
export function mediaType(request: Request): string | null {
  return request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? null;
}

/** Reads a query of a known shape. Throws a 400 problem with every broken rule, or with repeated parameters. */
export function parseQuery<T extends z.ZodType>(search: URLSearchParams, shape: T): z.output<T> {
  requireOnce(search);
  return parseShape(Object.fromEntries(search), shape);
}

/** Throws a 400 problem that names each repeated parameter, because it is unclear which one counts. */
export function requireOnce(search: URLSearchParams): void {
  const repeated = [...new Set(search.keys())].filter((name) => search.getAll(name).length > 1);
  if (repeated.length > 0) throw invalidRequest(repeated.map((path) => ({ path, message: 'must be sent only once' })));
}

/** Throws a 400 problem with every broken rule. */
function parseShape<T extends z.ZodType>(value: unknown, shape: T): z.output<T> {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error, shape));
  return parsed.data;
}

/** Creates a 413 problem. */
export function bodyTooLarge(limit: number): ProblemError {
  return new ProblemError('body_too_large', `The body may have at most ${limit} bytes.`);
}

/** Counts the bytes of a request's body that are in memory. */
export interface BodyMemory {
  /** Adds bytes. Throws a 429 or 503 problem if a limit is reached. */
  take(bytes: number): void;
  /** Subtracts all bytes again. */
  release(): void;
}

/** By request, until its handler has ended. Bodies of other requests are not counted. */
export const bodyMemories = new WeakMap<Request, BodyMemory>();

/** The slowest body that is accepted: 8 KiB in each 10 seconds. The last bytes may be fewer. */
const PIECE_BYTES = 8 * 1024;
const PIECE_MS = 10_000;

/** The longest chunk. The runtime's own are of 4 KiB, and each takes as much work as one of this length. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Returns a reader of long chunks, or of its own if the body is no byte stream. It has two buffers in turn, because the
 * runtime collects them late: a chunk is valid until the next but one is read.
 */
function readerOf(
  body: ReadableStream<Uint8Array>,
): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'releaseLock'> {
  try {
    const reader = body.getReader({ mode: 'byob' });
    const buffers: ArrayBuffer[] = [];
    return {
      read: async () => {
        const used = buffers.length < 2 ? undefined : buffers.shift();
        const { done, value } = await reader.read(new Uint8Array(used ?? new ArrayBuffer(CHUNK_BYTES)));
        if (value) buffers.push(value.buffer);
        return done || !value ? { done: true, value: undefined } : { done: false, value };
      },
      releaseLock: () => reader.releaseLock(),
    };
  } catch {
    return body.getReader();
  }
}

/**
 * Yields the chunks of a body. Throws a 408 problem if it breaks off or is too slow, because it holds memory and a
 * connection. Time that the consumer takes is not counted. A chunk is valid until the next but one is asked for.
 * `discardBody` can read the rest, except of a body that timed out.
 */
export async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = readerOf(body);
  let giveUp: (detail: string) => void = () => {};
  const tooSlow = new Promise<never>((_, reject) => {
    giveUp = (detail) => reject(new ProblemError('request_timeout', detail));
  });
  // The promise may reject while nothing awaits it.
  tooSlow.catch(() => {});
  const slow = `Less than ${PIECE_BYTES / 1024} KiB of the body came in ${PIECE_MS / 1000} seconds.`;
  let bytes = 0;
  let waitedMs = 0;
  const wait = () => setTimeout(giveUp, PIECE_MS - waitedMs, slow);
  let timer = wait();
  let isTimedOut = false;
  try {
    for (;;) {
      const begunAt = Date.now();
      const chunk = await Promise.race([reader.read(), tooSlow]);
      clearTimeout(timer);
      if (chunk.done) return;
      waitedMs += Date.now() - begunAt;
      bytes += chunk.value.byteLength;
      if (bytes >= PIECE_BYTES) bytes = waitedMs = 0;
      yield chunk.value;
      timer = wait();
    }
  } catch (error) {
    isTimedOut = error instanceof ProblemError;
    throw isTimedOut ? error : new ProblemError('request_timeout', 'The body broke off.');
  } finally {
    clearTimeout(timer);
    if (!isTimedOut) reader.releaseLock();
  }
}

/**
 * Reads a whole body of at most `limit` bytes. Throws a problem: `tooLong` (413 by default) as soon as it is longer,
 * 408 if it is slow, and 429 or 503 at a limit of bodies in memory.
 */
export async function readBytes(request: Request, limit: number, tooLong = bodyTooLarge(limit)): Promise<Uint8Array> {
  const announced = Number(request.headers.get('Content-Length') ?? 0);
  if (announced > limit) throw tooLong;
  const memory = bodyMemories.get(request);
  memory?.take(announced);
  // Allocated with the announced length, so the body is in memory once. Without a length it grows by doubling.
  let bytes = new Uint8Array(announced);
  let length = 0;
  for await (const chunk of chunksOf(request.body)) {
    const end = length + chunk.byteLength;
    if (end > limit) throw tooLong;
    if (end > bytes.byteLength) {
      const longer = new Uint8Array(Math.min(limit, Math.max(end, 2 * bytes.byteLength)));
      memory?.take(longer.byteLength - bytes.byteLength);
      longer.set(bytes.subarray(0, length));
      bytes = longer;
    }
    bytes.set(chunk, length);
    length = end;
  }
  readWhole.add(request);
  return bytes.subarray(0, length);
}

/** Requests whose body was read to its end. */
const readWhole = new WeakSet<Request>();

/** The largest rest of a body that is read: 20 MiB, as much as any operation accepts. */
const MAX_DISCARDED_BYTES = 20 * 1024 * 1024;
/** Longer than the second that clients wait for a missing `100 Continue`. */
const IDLE_MS = 3_000;
/** A slow body delays its response no longer than a host's poll: see render-gateway/claim.ts. */
const PATIENCE_MS = 20_000;

/**
 * Reads and drops the rest of a body. A server that responds before it has read the body must close the connection, and
 * a reset may then lose the response or the client's next request. Gives up on a body that is too large, too slow or
 * cut off.
 */
export async function discardBody(request: Request): Promise<void> {
  const { body, headers } = request;
  if (
    body === null ||
    readWhole.has(request) ||
    body.locked ||
    Number(headers.get('Content-Length') ?? 0) > MAX_DISCARDED_BYTES
  )
    return;
  const reader = readerOf(body);
  let giveUp = () => {};
  const tooSlow = new Promise<{ done: true }>((resolve) => {
    giveUp = () => resolve({ done: true });
  });
  const patience = setTimeout(giveUp, PATIENCE_MS);
  let idle = setTimeout(giveUp, IDLE_MS);
  try {
    for (let left = MAX_DISCARDED_BYTES; left >= 0; ) {
      const chunk = await Promise.race([reader.read(), tooSlow]);
      if (chunk.done) return;
      left -= chunk.value.byteLength;
      clearTimeout(idle);
      idle = setTimeout(giveUp, IDLE_MS);
    }
  } catch {
    // The client disconnected within its body.
  } finally {
    clearTimeout(patience);
    clearTimeout(idle);
  }
}
