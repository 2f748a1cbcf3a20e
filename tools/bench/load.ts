import { connect, type Socket } from 'node:net';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

/** Returns the numbers that the options of the command line set, such as `--rounds 7`, over these defaults. */
export function numbersOf<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(defaults);
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  const given = Object.entries(values).map(([name, value]) => [name, Number(value)]);
  return { ...defaults, ...Object.fromEntries(given) };
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The machine, for the head of a report. */
export const MACHINE = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;

export function quantile(numbers: readonly number[], q: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export interface Ask {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/** Returns answers a second over connections that each ask again after each answer. */
export async function rate(ask: Ask): Promise<number> {
  const head = [`GET ${ask.path} HTTP/1.1`, 'Host: tickreel.test', ...ask.headers, '', ''].join('\r\n');
  const sockets = await Promise.all(Array.from({ length: ask.connections }, () => open(ask.port)));
  let answered = 0;
  let isOver = false;
  const start = performance.now();
  const work = sockets.map(async (socket) => {
    while (!isOver) {
      await answerOf(socket, head);
      if (!isOver) answered++;
    }
    socket.destroy();
  });
  await new Promise((resolve) => setTimeout(resolve, ask.seconds * 1000));
  isOver = true;
  const rate = answered / ((performance.now() - start) / 1000);
  await Promise.all(work);
  return rate;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
    socket.setNoDelay(true);
  });
}

/** Sends a request and reads its whole answer. Rejects unless it is 200 or 206. */
function answerOf(socket: Socket, head: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    let left = -1;
    const lost = () => reject(new Error('the connection was closed'));
    socket.once('close', lost);
    const read = (chunk: Buffer) => {
      if (left < 0) {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!/^HTTP\/1\.1 20[06] /.test(text)) return reject(new Error(text.slice(0, 400)));
        const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
        if (length === undefined) return reject(new Error(`an answer without its length: ${text.slice(0, end)}`));
        left = Number(length) - (text.length - end - 4);
      } else left -= chunk.byteLength;
      if (left > 0) return;
      socket.off('data', read).off('close', lost);
      resolve();
    };
    socket.on('data', read);
    socket.write(head);
  });
}
