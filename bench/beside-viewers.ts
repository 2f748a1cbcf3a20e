import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Crowd } from './crowd-worker.ts';
import { median, percentile } from './load.ts';

/** Who watches while the customer waits: nobody, a crowd that a bare Worker answers, or one that the service does. */
const CONDITIONS = ['alone', 'beside viewers of a bare Worker', 'beside viewers of the service'] as const;
type Condition = (typeof CONDITIONS)[number];

const PHASE_MS = 5000;
const RAMP_MS = 300;
const PAUSE_MS = 50;

export interface Beside {
  readonly port: number;
  readonly adminToken: string;
  /** What a viewer loads of each. */
  readonly heads: { readonly floor: readonly string[]; readonly service: readonly string[] };
  readonly viewsASecond: number;
  /** Of each condition. */
  readonly seconds: number;
}

/**
 * How long a customer waits for a submit and for a read. The three conditions take turns in short phases, so that
 * whatever else the machine does meets all of them. The bare Worker runs in the service's own runtime and is asked for
 * the same bytes by the same crowd: on one machine viewers take the customer's processor whoever answers them, which on
 * the platform they do not. What it takes longer than that comes of what viewers and customers share.
 */
export async function besideViewers(beside: Beside): Promise<string[]> {
  const { port, adminToken, heads, viewsASecond, seconds } = beside;
  const order = await customerOf(port, adminToken);
  // The crowd has a thread of its own: what it reads does not hold up the customer's clock.
  const thread = new Worker(new URL('./crowd-worker.ts', import.meta.url));
  const send = async (crowd: Crowd): Promise<number> => {
    thread.postMessage(crowd);
    return ((await once(thread, 'message')) as [number])[0];
  };
  const crowdOf = (condition: Condition): Crowd => {
    if (condition === 'alone') return null;
    const loaded = condition === 'beside viewers of the service' ? heads.service : heads.floor;
    return { port, heads: loaded, viewsASecond };
  };
  const rounds = Math.max(1, Math.round((seconds * 1000) / PHASE_MS));
  const taken: Record<Condition, number[]> = Object.fromEntries(CONDITIONS.map((name) => [name, []])) as never;
  const views: Record<Condition, number> = Object.fromEntries(CONDITIONS.map((name) => [name, 0])) as never;
  /** The service's p95 next to each of the others, round by round. */
  const ratios: [number, number][] = [];
  await during(PHASE_MS, order);
  for (let round = 0; round < rounds; round++) {
    const inTurn = CONDITIONS.map((_, i) => CONDITIONS[(i + round) % CONDITIONS.length] as Condition);
    const p95 = {} as Record<Condition, number>;
    for (const condition of inTurn) {
      await send(crowdOf(condition));
      await new Promise((resolve) => setTimeout(resolve, RAMP_MS));
      const times = await during(PHASE_MS, order);
      views[condition] += await send(null);
      taken[condition].push(...times);
      p95[condition] = percentile(times, 0.95);
    }
    const [alone, floor, service] = CONDITIONS.map((name) => p95[name]) as [number, number, number];
    ratios.push([service / alone, service / floor]);
  }
  await thread.terminate();
  const lines = CONDITIONS.map((name) => {
    const [p50, p95] = [0.5, 0.95].map((share) => percentile(taken[name], share).toFixed(1).padStart(6));
    const rate = ((views[name] / (rounds * (PHASE_MS + RAMP_MS))) * 1000).toFixed(0);
    return `  ${name.padEnd(32)} p50 ${p50} ms, p95 ${p95} ms (${taken[name].length}; ${rate} views a second)`;
  });
  const overall = CONDITIONS.map((name) => percentile(taken[name], 0.95)) as [number, number, number];
  const [alone, floor, service] = overall;
  const ofRounds = (i: 0 | 1) => median(ratios.map((pair) => pair[i])).toFixed(2);
  return [
    `a customer's submit and read, ${rounds} rounds of ${PHASE_MS / 1000} s of each:`,
    ...lines,
    `  p95 of the service's viewers: × ${(service / alone).toFixed(2)} of alone (median of rounds × ${ofRounds(0)}),`,
    `  × ${(service / floor).toFixed(2)} of the same crowd at a bare Worker (median of rounds × ${ofRounds(1)})`,
  ];
}

type Order = () => Promise<void>;

/** A new account, which submits a job and reads it. */
async function customerOf(port: number, adminToken: string): Promise<Order> {
  const call = async (token: string, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
    return (await response.json()) as Record<string, string>;
  };
  const { account_id } = await call(adminToken, 'POST', '/admin/accounts', { name: 'customer' });
  const { key = '' } = await call(adminToken, 'POST', `/admin/accounts/${account_id}/keys`, { kind: 'metered' });
  const order = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };
  return async () => {
    const { job_id } = await call(key, 'POST', '/api/clips', order);
    await call(key, 'GET', `/api/jobs/${job_id}`);
  };
}

/** Milliseconds that each order took. */
async function during(ms: number, order: Order): Promise<number[]> {
  const until = performance.now() + ms;
  const taken: number[] = [];
  while (performance.now() < until) {
    const start = performance.now();
    await order();
    taken.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return taken;
}
