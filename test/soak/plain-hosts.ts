import { setTimeout as delay } from 'node:timers/promises';
import type { Grant } from '../../protocol/gateway.ts';
import { CAPABILITIES } from '../support/capabilities.ts';

const HOSTS = 2;

interface PlainHosts {
  readonly baseUrl: string;
  readonly token: string;
  /** Milliseconds that each job takes. */
  readonly pauseMs: number;
}

/** Two hosts that end each job for good without rendering it: what is looked for is what the service does. */
export function startPlainHosts({ baseUrl, token, pauseMs }: PlainHosts) {
  /** The jobs that they were given, in that order. */
  const grants: string[] = [];
  const stopped = new AbortController();
  const post = (path: string, body: object) =>
    fetch(`${baseUrl}/gateway/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify(body),
      signal: stopped.signal,
    });
  const next = async () => {
    const response = await post('/claim', { capabilities: CAPABILITIES, wait_s: 20 });
    if (response.status !== 200) return void (await response.arrayBuffer());
    const { job_id, lease } = (await response.json()) as Grant;
    grants.push(job_id);
    const { fence } = lease;
    for (const [call, body] of [
      ['heartbeat', { fence, phase: 'render', progress: 0.5 }],
      ['fail', { fence, code: 'demo_404', detail: 'as told' }],
    ] as const) {
      await delay(pauseMs / 2);
      await (await post(`/jobs/${job_id}/${call}`, body)).arrayBuffer();
    }
  };
  const work = async () => {
    // A job whose answer got lost comes back.
    while (!stopped.signal.aborted) await next().catch(() => delay(pauseMs));
  };
  const over = Promise.all(Array.from({ length: HOSTS }, work));
  return {
    grants: grants as readonly string[],
    async stop() {
      stopped.abort();
      await over;
    },
  };
}
