import type { Offer } from '#domain/host/fair-queue.ts';
import type { Capability } from '#domain/host/need.ts';
import { createDispatch, type Dispatch } from '#durable-objects/dispatcher/dispatch.ts';
import type { Suggestion } from '#rpc/dispatcher.ts';
import { createQueueStorage } from '#test/support/queue-storage.ts';
import { MACHINE, median, numbersOf, say } from './load.ts';

/**
 * Measures a claim and an offer as the queue and the fleet grow, on SQLite in memory: the dispatcher's own code and
 * statements, without the runtime. Sizes take turns within a round, and the ratios of one round are compared, so that a
 * machine that gets slower meanwhile does not matter.
 *
 *     npx node tools/bench/dispatch.bench.ts [--most 1000000] [--rounds 7] [--calls 2000]
 */
const { most: MOST, rounds: ROUNDS, calls: CALLS } = numbersOf({ most: 1_000_000, rounds: 7, calls: 2000 });

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

say(`${MACHINE}, ${ROUNDS} rounds of ${CALLS} calls`);
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
