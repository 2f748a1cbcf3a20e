import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** workerd says this of every multipart upload; it is about itself. */
const NOISE = /NOSENTRY/;
const PORT_IN_USE = /Address already in use/;
/** Said three times of one webhook, with a trace of the runtime's own code each. */
const NO_SUCH_NAME = /DNS lookup failed\.; params\.host = ([^;]+);/;
/** A client that hangs up amid an answer is no trouble of ours. */
const HUNG_UP = /disconnected: ::write\(.*: (Broken pipe|Connection reset by peer)/;
const TRACE = /^stack:/;

/**
 * Passes the runtime's own output on to standard error: standard output belongs to the stack's one line of JSON. After
 * `onPortInUse` nothing more is passed on: what follows is a trace of the runtime's own code. A name that does not
 * resolve is one plain line.
 */
export function passOn(output: Readable, onPortInUse: () => void = () => {}): void {
  let isMuted = false;
  /** Of what the last line said; null where its trace is wanted. */
  let unresolved: string | null = null;
  createInterface({ input: output }).on('line', (line) => {
    if (PORT_IN_USE.test(line)) {
      isMuted = true;
      onPortInUse();
    }
    if (isMuted || NOISE.test(line) || (unresolved !== null && TRACE.test(line))) return;
    if (HUNG_UP.test(line)) {
      unresolved = '';
      return;
    }
    const name = NO_SUCH_NAME.exec(line)?.[1] ?? null;
    if (name === null || name !== unresolved) {
      process.stderr.write(name === null ? `${line}\n` : `nobody knows an address for ${name}\n`);
    }
    unresolved = name;
  });
}
