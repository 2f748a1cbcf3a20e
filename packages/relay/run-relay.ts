import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { type SendOptions, TickreelError, type Upload, type Uploads } from '#client/index.ts';
import { cleanName, reasonOf } from '#domain/lib/text.ts';
import { factsOf, UploadFacts } from '#protocol/demo/uploads.ts';
import { isWholeDemo } from './whole-demo.ts';

/** Opens no link. Opening a pipe without O_NONBLOCK waits for its writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Sends a demo, or the parts of it that the service lacks. The file is opened once, and never through a link. */
async function sendDemo(relay: RelayOptions & SendOptions, name: string, demo: RelayedDemo): Promise<Upload> {
  const { dir, tag, uploads, state, signal, onProgress } = relay;
  const { size, mtimeMs, facts } = demo;
  const file = await open(join(dir, name), OPEN_FLAGS);
  const requireSame = (isWhole: boolean) => {
    const found = fstatSync(file.fd);
    if (isWhole && found.isFile() && found.size === size && found.mtimeMs === mtimeMs) return;
    throw new Error('the demo changed while it was read');
  };
  const slice = (from = 0, to = size, type = '') => {
    const part = new Uint8Array(to - from);
    requireSame(readSync(file.fd, part, 0, part.length, from) === part.length);
    return new Blob([part], { type });
  };
  try {
    let { sha256 } = demo;
    if (sha256 === undefined) {
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 }), hash, { signal });
      sha256 = hash.digest('hex');
    }
    requireSame(true);
    if (demo.sha256 === undefined) state.put(name, { ...demo, sha256 });
    const sent = { name: cleanName(name, 200), content: { size, slice }, sha256, tag, facts };
    return await uploads.send(sent, { signal, onProgress });
  } finally {
    await file.close();
  }
}

/** A version of a demo in the folder. `outcome` is `sent`, or why the service refuses it for good. */
const Shape = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  sha256: z.string().optional(),
  facts: UploadFacts.optional(),
  outcome: z.string().optional(),
});
export type RelayedDemo = z.infer<typeof Shape>;

export interface RelayState {
  readonly demos: Map<string, RelayedDemo>;
  /** Writes the state file. A crash leaves the one before. */
  put(name: string, demo: RelayedDemo): void;
}

export interface RelayOptions {
  readonly dir: string;
  readonly state: RelayState;
  readonly uploads: Pick<Uploads, 'send'>;
  readonly tag: string | undefined;
  readonly restMs: number;
  readonly isOnce: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970, from a monotonic clock. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 5000;
/** After so long without a change, a demo without its end is sent too: its server was killed. */
const BROKEN_OFF_MS = 10 * 60_000;
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 60_000;

const isDemoName = (name: string): boolean => /^[^.].*\.(dem|dem\.gz|bz2|zst|zip|rar)$/i.test(name);

/**
 * Returns false for a `.dem` without its end. An archive has no mark of it; a file that cannot be opened is reported when
 * it is sent.
 */
function mayBeWhole(path: string, size: number): boolean {
  if (!/\.dem$/i.test(path)) return true;
  try {
    const file = openSync(path, OPEN_FLAGS);
    try {
      return isWholeDemo(file, size);
    } finally {
      closeSync(file);
    }
  } catch {
    return true;
  }
}

/** Opens the state file. Without a readable one every demo is announced again, and the service lists what it lacks. */
export function openRelayState(path: string, log: Logger): RelayState {
  const demos = new Map<string, RelayedDemo>();
  try {
    const stored = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    for (const [name, demo] of Object.entries(z.record(z.string(), Shape).parse(stored))) demos.set(name, demo);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'the state file is damaged; a new one is begun');
  }
  return {
    demos,
    put(name, demo) {
      demos.set(name, demo);
      // A link of another user is removed and not followed.
      rmSync(`${path}.new`, { force: true });
      writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(demos)), { flag: 'wx', mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
    },
  };
}

/** Looks at the folder again and again, and sends the whole demos one by one. Returns false if one was not sent. */
export async function runRelay(options: RelayOptions): Promise<boolean> {
  const { dir, state, restMs, isOnce, log, signal } = options;
  const begun = options.now();
  /** When a version of a demo was seen first. */
  const since = new Map<string, number>();
  const failures = new Map<string, number>();
  const failuresOf = (name: string) => failures.get(name) ?? 0;
  /** Returns the whole demos without an outcome, the next one first. No demo is received in the middle of it. */
  const look = (now: number) => {
    const names = new Set(readdirSync(dir));
    for (const name of state.demos.keys()) if (!names.has(name)) state.demos.delete(name);
    const wholeDemos = [...names].filter(isDemoName).flatMap((name) => {
      const found = lstatSync(join(dir, name), { throwIfNoEntry: false });
      if (!found?.isFile() || found.size === 0) return [];
      const { size, mtimeMs } = found;
      const known = state.demos.get(name);
      const demo: RelayedDemo = known?.size === size && known.mtimeMs === mtimeMs ? known : { size, mtimeMs };
      state.demos.set(name, demo);
      // A demo with a hash was whole before.
      if (demo !== known || !since.has(name)) since.set(name, demo.sha256 ? -Infinity : now);
      const first = since.get(name) ?? now;
      if (demo.outcome || now - first < restMs) return [];
      // Only the first look compares times of files with the clock, which the system may set later.
      const restedMs = now - (first === begun ? Math.min(begun, mtimeMs) : first);
      return restedMs >= BROKEN_OFF_MS || mayBeWhole(join(dir, name), size) ? { name, demo } : [];
    });
    // One that fails does not block the others. The newest is the first of them.
    return wholeDemos.sort((a, b) => failuresOf(a.name) - failuresOf(b.name) || b.demo.mtimeMs - a.demo.mtimeMs);
  };
  for (let now = begun; !signal.aborted; now = options.now()) {
    let waitMs = Math.min(LOOK_MS, restMs);
    const [next] = look(now);
    if (next) {
      const { name, demo } = next;
      if (isOnce && failuresOf(name) > 0) return false;
      log.info({ demo: name, bytes: demo.size }, 'sending');
      // It is counted once before the first one arrives.
      let parts = -1;
      try {
        const { id } = await sendDemo({ ...options, onProgress: () => parts++ }, name, demo);
        state.put(name, { ...demo, outcome: 'sent' });
        log.info({ demo: name, upload: id }, 'sent');
        waitMs = 0;
      } catch (error) {
        if (signal.aborted) break;
        const failure = error instanceof TickreelError ? error : new TickreelError('not_reached', reasonOf(error));
        const { code, problem, status, message: reason } = failure;
        // Other answers are about the key or the account, or are pages of a proxy: they end when somebody acts.
        if (problem !== null && (status === 400 || status === 413)) {
          log.error({ demo: name, reason }, 'the service refuses the demo; it is not sent again');
          state.put(name, { ...demo, outcome: reason });
          continue;
        }
        // The file that was sent may have another hash.
        if (code === 'upload_incomplete' && parts >= 0) state.put(name, { ...demo, sha256: undefined });
        const tries = parts > 0 ? 0 : failuresOf(name);
        const usual = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) * (0.5 + options.random() / 2);
        failures.set(name, tries + 1);
        waitMs = isOnce ? 0 : Math.max(usual, Math.min(failure.retryAfterMs ?? 0, 2 ** 31 - 1));
        log.warn({ demo: name, reason, waitSeconds: Math.round(waitMs / 1000) }, 'not sent; it is tried again');
      }
    } else if (isOnce && now - begun >= restMs) {
      return [...state.demos.values()].every(({ outcome = 'sent' }) => outcome === 'sent');
    }
    await options.wait(waitMs, signal).catch(() => {});
  }
  return true;
}

const UNFINISHED = '.tickreel-relay-';

/** Creates a server for the uploads of MatchZy and get5. A demo that was answered with 200 is on the disk. */
export function createReceiver({ dir, state, log }: Pick<RelayOptions, 'dir' | 'state' | 'log'>): Server {
  const folder = openSync(dir, 'r');
  let received = 0;
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string) => response.writeHead(status, { Connection: 'close' }).end(text);
    // A page in a browser of this machine sends its origin.
    if (request.method !== 'POST' || request.headers.origin) return answer(405, 'Only game servers POST demos here.');
    const facts = factsOf(new Headers(request.headers as Record<string, string>)) ?? {};
    const wanted = (facts.file_name ?? '').replace(/[^\w.-]/g, '_');
    if (!isDemoName(wanted)) return answer(400, 'MatchZy-FileName or Get5-FileName has to be the name of a demo.');
    const unfinished = join(dir, `${UNFINISHED}${process.pid}-${++received}`);
    const hash = createHash('sha256');
    request.on('data', (chunk) => hash.update(chunk));
    try {
      await pipeline(request, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
      const sha256 = hash.digest('hex');
      // With the hash it replaces none of the server's files.
      const demo = `${sha256.slice(0, 12)}-${wanted}`;
      const { size, mtimeMs } = statSync(unfinished);
      // No look at the folder comes between these two steps.
      state.put(demo, { size, mtimeMs, sha256, facts });
      renameSync(unfinished, join(dir, demo));
      fsyncSync(folder);
      log.info({ demo }, 'received');
      answer(200, demo);
    } catch (error) {
      rmSync(unfinished, { force: true });
      log.error({ demo: wanted, reason: reasonOf(error) }, 'not received');
      answer(500, reasonOf(error));
    }
  });
  return server.once('listening', () => {
    // What a relay was receiving when it was killed.
    for (const name of readdirSync(dir)) if (name.startsWith(UNFINISHED)) rmSync(join(dir, name));
  });
}
