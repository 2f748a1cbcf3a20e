import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** workerd says this of every multipart upload; it is about itself. */
const NOISE = /NOSENTRY/;

/** Passes the runtime's own output on to standard error: standard output belongs to the stack's one line of JSON. */
export function passOn(output: Readable): void {
  createInterface({ input: output }).on('line', (line) => {
    if (!NOISE.test(line)) process.stderr.write(`${line}\n`);
  });
}
