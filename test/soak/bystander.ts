import { setTimeout as delay } from 'node:timers/promises';
import { PICTURES } from '../support/pictures.ts';
import type { Receiver } from '../support/receiver.ts';

/** Milliseconds of each call by kind. */
export type Timings = Readonly<Record<string, readonly number[]>>;

interface BystanderOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly demoUrl: string;
  readonly receiver: Receiver;
  /** The jobs that hosts got so far, in order. */
  readonly grants: readonly string[];
}

/** One image in so many rounds: far below the limit of uploads. */
const ROUNDS_AN_IMAGE = 10;
const LOOK_MS = 5;
/** One connection for each call, because the other end may close a kept one at the moment of its reuse. */
const HEADERS = { 'Content-Type': 'application/json', Connection: 'close' };

/** Creates an account that uses each operation of a client, round by round, and measures the time of each answer. */
export function createBystander({ baseUrl, key, demoUrl, receiver, grants }: BystanderOptions) {
  let timings: Record<string, number[]> = {};
  const wronged: string[] = [];
  const overtakenBy: number[] = [];
  let rounds = 0;
  const timed = async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await work();
    timings[kind] = [...(timings[kind] ?? []), performance.now() - begun];
    return result;
  };
  const call = (kind: string, status: number, path: string, init: RequestInit = {}): Promise<string> =>
    timed(kind, async () => {
      const headers = { ...HEADERS, Authorization: `Bearer ${key}`, ...init.headers };
      const response = await fetch(baseUrl + path, { ...init, headers });
      const text = await response.text();
      if (response.status !== status) wronged.push(`${kind} ${response.status}: ${text}`);
      return text;
    });

  return {
    wronged: wronged as readonly string[],
    overtakenBy,
    takeTimings(): Timings {
      const taken = timings;
      timings = {};
      return taken;
    },

    /** Submits a job, follows it to its outcome, reads it, waits for its webhook and has it sent again. */
    async round(): Promise<void> {
      const body = JSON.stringify({ demo_url: demoUrl, steam64_id: '76561198000000002', webhook_url: receiver.url });
      const { job_id } = JSON.parse(await call('submit', 201, '/api/clips', { method: 'POST', body }));
      const before = grants.length;
      await call('read', 200, `/api/jobs/${job_id}`);
      await call('follow', 200, `/api/jobs/${job_id}/events`);
      overtakenBy.push(Math.max(0, grants.indexOf(job_id) - before));
      await call('list', 200, '/api/jobs?limit=20');
      while (!receiver.arrivals.some(({ body: sent }) => sent.job_id === job_id)) await delay(LOOK_MS);
      await call('resend', 200, `/api/jobs/${job_id}/resend-webhook`, { method: 'POST' });
      if (rounds++ % ROUNDS_AN_IMAGE > 0) return;
      const headers = { 'Content-Type': 'image/png' };
      await call('upload', 201, '/api/assets?kind=watermark', { method: 'POST', headers, body: PICTURES.png });
    },
  };
}
