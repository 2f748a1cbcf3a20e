import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { answerOf, open } from './load.ts';

/** A crowd that loads one thing after the other over a new connection each time; null sends it home. */
export type Crowd = { readonly port: number; readonly heads: readonly string[]; readonly viewsASecond: number } | null;

/** As many people as there are: whoever waits for an answer asks for nothing else. */
const MOST_WAITING = 500;

let crowd = null as Crowd;
let waiting = 0;
let views = 0;

async function view({ port, heads }: NonNullable<Crowd>): Promise<void> {
  waiting++;
  try {
    const socket = await open(port);
    for (const head of heads) await answerOf(socket, head);
    socket.destroy();
    views++;
  } finally {
    waiting--;
  }
}

parentPort?.on('message', (next: Crowd) => {
  crowd = next;
  parentPort?.postMessage(views);
  views = 0;
});

for (;;) {
  if (crowd && waiting < MOST_WAITING) void view(crowd);
  // They do not come by the clock.
  await delay(crowd ? (-Math.log(1 - Math.random()) * 1000) / crowd.viewsASecond : 20);
}
