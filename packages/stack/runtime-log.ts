import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { escapeControls } from '#domain/lib/text.ts';

/** A message of workerd about itself, at each multipart upload. */
const NOISE = /NOSENTRY/;
/**
 * The runtime's message for a name that does not resolve, written three times for a webhook, each with a stack trace.
 */
const NO_SUCH_NAME = /DNS lookup failed\.; params\.host = ([^;]+);/;
/** The network of a public stack calls no private addresses. */
const PRIVATE = /connect\(\) blocked by restrictPeers/;
/** A client that disconnects during an answer is not an error. */
const HUNG_UP = /disconnected: ::write\(.*: (Broken pipe|Connection reset by peer)/;
const TRACE = /^stack:/;

/**
 * Forwards the runtime's output to standard error, because standard output is for the stack's one line of JSON.
 * Replaces the trace of a name that does not resolve by one line.
 */
export function passOn(output: Readable): void {
  /** The name of the last line; null if its trace is forwarded. */
  let unresolved: string | null = null;
  createInterface({ input: output }).on('line', (line) => {
    if (NOISE.test(line) || (unresolved !== null && TRACE.test(line))) return;
    if (HUNG_UP.test(line)) {
      unresolved = '';
      return;
    }
    const name = PRIVATE.test(line) ? '' : (NO_SUCH_NAME.exec(line)?.[1] ?? null);
    const why =
      name === '' ? 'a call was refused: its name leads to a private address' : `nobody knows an address for ${name}`;
    if (name === null || name !== unresolved) process.stderr.write(`${escapeControls(name === null ? line : why)}\n`);
    unresolved = name;
  });
}
