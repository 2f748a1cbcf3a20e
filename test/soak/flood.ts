import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { childrenOf } from '#stack/processes.ts';
import { INSPECTED } from '#stack/service.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestStack } from '../support/test-stack.ts';
import { createBystander, type Timings } from './bystander.ts';
import type { FloodCounts, FloodOrder, FloodWord } from './flood-worker.ts';
import { heapOf } from './heap.ts';
import { startPlainHosts } from './plain-hosts.ts';

export interface FloodOptions {
  /**
   * In turn, the other account works so many rounds alone and so many during the flood, so that other load of the
   * machine affects both.
   */
  readonly turns: number;
  readonly quietRounds: number;
  readonly floodedRounds: number;
  /** Milliseconds between two rounds of the other account, and between two jobs of a host. */
  readonly pauseMs: number;
  readonly hostPauseMs: number;
  /** Limits of the flood: calls of each kind at a time, a second, and in all. */
  readonly connections: number;
  readonly perSecond: number;
  readonly mostCalls: number;
  /** Variables of the Worker to set or replace. */
  readonly variables: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

export interface FloodReport {
  readonly quiet: Timings;
  readonly flooded: Timings;
  /** The answers to the flood. */
  readonly counts: FloodCounts;
  /** The wrong answers to the other account. */
  readonly wronged: readonly string[];
  /** For each job of the other account: the jobs that hosts got between its submit and its start. */
  readonly overtakenBy: readonly number[];
  /** The memory of the runtime's process every second, in MiB. */
  readonly memory: readonly number[];
  /** The heap of the isolate of the Worker and its objects after each turn and a garbage collection, in MiB. */
  readonly heap: readonly number[];
}

const DEMO_URL = 'http://127.0.0.1:9/match.dem';

/** Runs a real stack on which one account floods the service while another one works. */
export async function runFlood(options: FloodOptions): Promise<FloodReport> {
  const { variables, say } = options;
  const stack = await startTestStack({ variables, isInspected: true });
  const heap: number[] = [];
  const { baseUrl, credentials } = stack;
  const runtime = childrenOf(process.pid).find(({ command }) => command.includes('workerd'))?.pid ?? 0;
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMiB(runtime)), 1000);
  const receiver = await startReceiver();
  const hosts = startPlainHosts({ baseUrl, token: credentials.host_token, pauseMs: options.hostPauseMs });
  const bystander = createBystander({
    baseUrl,
    key: credentials.other_account_key ?? '',
    demoUrl: DEMO_URL,
    receiver,
    grants: hosts.grants,
  });
  const work = async (rounds: number, into: Record<string, number[]>) => {
    for (let round = 0; round < rounds; round++) {
      await bystander.round();
      await delay(options.pauseMs);
    }
    for (const [kind, values] of Object.entries(bystander.takeTimings()))
      into[kind] = [...(into[kind] ?? []), ...values];
  };
  try {
    const quiet: Record<string, number[]> = {};
    const flooded: Record<string, number[]> = {};
    const { connections, perSecond, mostCalls: most } = options;
    const key = credentials.metered_key;
    const flood = startFlood({ baseUrl, key, demoUrl: DEMO_URL, connections, perSecond, most });
    for (let turn = 0; turn < options.turns; turn++) {
      flood.tell('pause');
      await work(options.quietRounds, quiet);
      flood.tell('go');
      await work(options.floodedRounds, flooded);
      const { collected } = await heapOf(stack.runtime, INSPECTED);
      heap.push(collected / 2 ** 20);
      const heapText = `the Worker and its objects ${heap.at(-1)?.toFixed(1)}`;
      say(`turn ${turn + 1} of ${options.turns}: the runtime has ${memory.at(-1)?.toFixed(0)} MiB, ${heapText}`);
    }
    const counts = await flood.end(Number.isFinite(most));
    const { wronged, overtakenBy } = bystander;
    return { quiet, flooded, counts, wronged, overtakenBy, memory: [...memory], heap };
  } finally {
    clearInterval(sampling);
    await hosts.stop();
    await stack.remove();
    receiver.stop();
  }
}

/** Starts a flood in a thread of its own, so that its work does not delay the calls of the other account. */
function startFlood(order: FloodOrder) {
  const worker = new Worker(new URL('./flood-worker.ts', import.meta.url), { workerData: order });
  const counts = new Promise<FloodCounts>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    tell: (word: FloodWord) => worker.postMessage(word),
    /** Stops it, or lets it make all of its calls first. */
    end(isToFinish: boolean): Promise<FloodCounts> {
      if (!isToFinish) worker.postMessage('stop' satisfies FloodWord);
      return counts;
    },
  };
}

/** Returns the resident memory on Linux; 0 elsewhere. */
function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
