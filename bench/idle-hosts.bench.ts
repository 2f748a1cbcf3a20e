import { parseArgs } from 'node:util';
import { createDispatch } from '../durable-objects/dispatcher/dispatch.ts';
import type { Waiter } from '../durable-objects/dispatcher/waiter.ts';
import { createRandom } from '../test/soak/random.ts';
import { createQueueStorage } from '../test/support/queue-storage.ts';

/**
 * What hosts cost that find no work: the dispatcher's own code and statements on SQLite in memory, under a virtual
 * clock. Each host polls again as soon as its poll has ended, after 20 to 25 seconds, as the gateway has it.
 *
 *     npx node bench/idle-hosts.bench.ts [--hosts 3000] [--minutes 10]
 */
const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '3000' }, minutes: { type: 'string', default: '10' } },
});
const HOSTS = Number(values.hosts);
const MINUTES = Number(values.minutes);

/** Workers Paid, https://developers.cloudflare.com/durable-objects/platform/pricing/, as it stood on 2026-11-22. */
const PRICES = { workerRequest: 0.3e-6, objectRequest: 0.15e-6, gbSecond: 12.5e-6, row: 1e-6 };
/** An object is billed as if it took up all of this. */
const OBJECT_GB = 0.128;

let now = 0;
const storage = createQueueStorage();
const dispatch = createDispatch({ storage, now: () => now, newToken: () => '', wake: () => {} });
const random = createRandom(1);
const hosts = Array.from({ length: HOSTS }, (_, n) => ({
  at: random() * 1000,
  waiter: null as Waiter | null,
  id: `host-${n}`,
}));

let polls = 0;
const end = MINUTES * 60_000;
const before = storage.rowsWritten();
for (now = 0; now < end; now += 10) {
  for (const host of hosts) {
    if (host.at > now) continue;
    if (host.waiter) dispatch.stopWaiting(host.waiter);
    const capability = { maxResolution: 1440, maxFps: 120, renderer: 'radar', gameBuild: null } as const;
    if (!dispatch.hasSlot(host.id, 1) || dispatch.next(capability, host.id)) throw new Error('there is no work');
    host.waiter = { hostId: host.id, slots: 1, capability, answer: () => {} };
    dispatch.wait(host.waiter);
    polls++;
    host.at = now + 20_000 + random() * 5000;
  }
}

const written = storage.rowsWritten() - before;
const seconds = MINUTES * 60;
const dollars =
  polls * (PRICES.workerRequest + PRICES.objectRequest) + seconds * OBJECT_GB * PRICES.gbSecond + written * PRICES.row;
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`${HOSTS} hosts without work for ${MINUTES} minutes`);
say(`  requests to the Worker, and calls of the dispatcher: ${polls} each, ${(polls / seconds).toFixed(0)} a second`);
say(`  rows written: ${written}`);
say(`  seconds of the one object that is awake: ${seconds}, ${(seconds * OBJECT_GB).toFixed(0)} GB-s`);
say(
  `  ${dollars.toFixed(4)} dollars, ${((dollars / MINUTES) * 60 * 24 * 30).toFixed(0)} a month, before what the plan includes`,
);
