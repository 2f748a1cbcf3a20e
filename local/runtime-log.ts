import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** workerd says this of every multipart upload; it is about itself. */
const NOISE = /NOSENTRY/;
const PORT_IN_USE = /Address already in use/;

/**
 * Passes the runtime's own output on to standard error: standard output belongs to the stack's one line of JSON. After
 * `onPortInUse` nothing more is passed on: what follows is a trace of the runtime's own code.
 */
export function passOn(output: Readable, onPortInUse: () => void = () => {}): void {
  let isMuted = false;
  createInterface({ input: output }).on('line', (line) => {
    if (PORT_IN_USE.test(line)) {
      isMuted = true;
      onPortInUse();
    }
    if (!isMuted && !NOISE.test(line)) process.stderr.write(`${line}\n`);
  });
}
