import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Offer } from '#domain/fair-queue.ts';
import type { Capability } from '#domain/need.ts';
import { createDispatch, type Dispatch } from '#durable-objects/dispatcher/dispatch.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createRandom } from '#test/soak/random.ts';
import { createQueueStorage } from '#test/support/queue-storage.ts';

/**
 * Measures a claim and an offer as the queue and the fleet grow, on SQLite in memory: the dispatcher's own code and
 * statements, without the runtime. Sizes take turns within a round, and the ratios of one round are compared, so that a
 * machine that gets slower meanwhile does not matter.
 *
 *     npx node tools/bench/dispatch.bench.ts [--most 1000000] [--rounds 7] [--calls 2000]
 */
const { values } = parseArgs({
  options: {
    most: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '2000' },
  },
});
const MOST = Number(values.most);
const ROUNDS = Number(values.rounds);
const CALLS = Number(values.calls);

const ANY: Capability = { maxResolution: 1440, maxFps: 120, renderer: 'radar', gameBuild: null };
const SMALL: Capability = { ...ANY, maxResolution: 1080, maxFps: 60 };

interface Scene {
  readonly dispatch: Dispatch;
  /** Advances the time by milliseconds. */
  pass(ms: number): void;
}

function createScene(): Scene {
  let now = 0;
  let tokens = 0;
  const dispatch = createDispatch({
    storage: createQueueStorage(),
    now: () => now,
    newToken: () => String(tokens++),
    wake: () => {},
  });
  return {
    dispatch,
    pass: (ms) => {
      now += ms;
    },
  };
}

function offerOf(n: number, overrides: Partial<Offer> = {}): Offer {
  return {
    jobId: `job-${n}`,
    accountId: `account-${n % 50}`,
    tier: n % 100 === 0 ? 'reserved' : 'metered',
    resolution: n % 4 === 0 ? 1440 : 1080,
    fps: [24, 30, 60, 120][n % 4] ?? 30,
    slots: 20,
    ...overrides,
  };
}

/** Returns microseconds a call, the median of blocks of a hundred. */
function time(work: (n: number) => void): number {
  const blocks: number[] = [];
  for (let begun = 0; begun < CALLS; begun += 100) {
    const start = performance.now();
    for (let n = begun; n < begun + 100; n++) work(n);
    blocks.push(((performance.now() - start) / 100) * 1000);
  }
  return median(blocks);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Measures each size in each round, and prints its cost relative to the first. */
function compare(title: string, sizes: readonly number[], build: (size: number) => (n: number) => void): void {
  const scenes = sizes.map((size) => ({ size, work: build(size), times: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const { work, times } of scenes) times.push(time((n) => work(round * CALLS + n)));
  say(`\n${title}`);
  const [first] = scenes;
  for (const { size, times } of scenes) {
    const ratios = times.map((one, round) => one / (first?.times[round] ?? Number.NaN));
    say(`  ${String(size).padStart(9)}  ${median(times).toFixed(1).padStart(7)} µs  × ${median(ratios).toFixed(2)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

say(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}, ${ROUNDS} rounds of ${CALLS} calls`);
const sizes = [1000, 10_000, 100_000, 1_000_000].filter((size) => size <= MOST);

compare('claim, start and queue one more, with so many queued', sizes, (size) => {
  const { dispatch } = createScene();
  for (let n = 0; n < size; n++) dispatch.offer(offerOf(n));
  let next = size;
  return () => {
    const suggestion = dispatch.next(ANY, 'host');
    if (!suggestion) throw new Error('the queue is empty');
    dispatch.started(suggestion.jobId, 'host');
    dispatch.settle(suggestion.jobId);
    dispatch.offer(offerOf(next++));
  };
});

compare('the same, with so many queued that the host cannot do', sizes, (size) => {
  const { dispatch } = createScene();
  for (let n = 0; n < size; n++) dispatch.offer(offerOf(n, { fps: 120 }));
  let next = size;
  return () => {
    dispatch.offer(offerOf(next++, { fps: 30, resolution: 1080 }));
    const suggestion = dispatch.next(SMALL, 'host');
    if (!suggestion) throw new Error('there is nothing for the small host');
    dispatch.started(suggestion.jobId, 'host');
    dispatch.settle(suggestion.jobId);
  };
});

compare('an offer to a fleet of which so many hosts wait', [1, 100, 1000, 5000], (waiting) => {
  const { dispatch } = createScene();
  const answers: Suggestion[] = [];
  const wait = (host: number) =>
    dispatch.wait({
      hostId: `host-${host}`,
      slots: 1,
      capability: { ...ANY, gameBuild: String(host % 5) },
      answer: (suggestion) => void answers.push(suggestion),
    });
  for (let host = 0; host < waiting; host++) wait(host);
  return (n) => {
    dispatch.offer(offerOf(n));
    const suggestion = answers.pop();
    if (!suggestion) throw new Error('nobody took the job');
    dispatch.started(suggestion.jobId, 'host');
    dispatch.settle(suggestion.jobId);
    wait(waiting + n);
  };
});

say('\nfifty accounts, one of which has nine jobs of ten, served until the first of the others has none left');
{
  const { dispatch } = createScene();
  const small = 100;
  const jobs = Array.from({ length: 490 * small }, (_, n) => (n < 49 * small ? 1 + (n % 49) : 0));
  for (const [n, account] of shuffled(jobs).entries())
    dispatch.offer(offerOf(n, { jobId: `${account} ${n}`, accountId: `account-${account}`, tier: 'metered' }));
  const served = new Map<string, number>();
  for (;;) {
    const suggestion = dispatch.next(ANY, 'host');
    const account = suggestion?.jobId.split(' ')[0] ?? '';
    if (!suggestion) break;
    dispatch.started(suggestion.jobId, 'host');
    served.set(account, (served.get(account) ?? 0) + 1);
    if (account !== '0' && served.get(account) === small) break;
  }
  const shares = [...served.values()];
  const sum = shares.reduce((total, share) => total + share, 0);
  const jain = sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
  say(`  Jain's index ${jain.toFixed(4)} over ${shares.length} accounts, ${sum} jobs`);
}

/** The same order in each run. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = createRandom(1);
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
