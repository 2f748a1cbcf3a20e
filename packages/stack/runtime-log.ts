import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { escapeControls } from '#domain/clean-text.ts';

/** workerd says this of every multipart upload; it is about itself. */
const NOISE = /NOSENTRY/;
/** Said three times of one webhook, with a trace of the runtime's own code each. */
const NO_SUCH_NAME = /DNS lookup failed\.; params\.host = ([^;]+);/;
/** The network of a stack that serves others calls nothing private. */
const PRIVATE = /connect\(\) blocked by restrictPeers/;
/** A client that hangs up amid an answer is no trouble of ours. */
const HUNG_UP = /disconnected: ::write\(.*: (Broken pipe|Connection reset by peer)/;
const TRACE = /^stack:/;

/**
 * Passes the runtime's own output on to standard error: standard output belongs to the stack's one line of JSON. A name
 * that does not resolve becomes one plain line.
 */
export function passOn(output: Readable): void {
  /** Of what the last line said; null where its trace is wanted. */
  let unresolved: string | null = null;
  createInterface({ input: output }).on('line', (line) => {
    if (NOISE.test(line) || (unresolved !== null && TRACE.test(line))) return;
    if (HUNG_UP.test(line)) {
      unresolved = '';
      return;
    }
    const name = PRIVATE.test(line) ? '' : (NO_SUCH_NAME.exec(line)?.[1] ?? null);
    if (name === null || name !== unresolved) process.stderr.write(`${escapeControls(plain(name) ?? line)}\n`);
    unresolved = name;
  });
}

function plain(unresolved: string | null): string | null {
  if (unresolved === '') return 'a call was refused: its name leads to a private address';
  return unresolved === null ? null : `nobody knows an address for ${unresolved}`;
}
