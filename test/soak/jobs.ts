import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitRequest } from '#protocol/submit.ts';
import { isTaken, type Receiver } from '../support/receiver.ts';

/** The jobs that the service accepted, by id, and whether their webhook has arrived. */
export interface Jobs {
  readonly acknowledged: ReadonlySet<string>;
  open(): string[];
  /** Submits until it is accepted; the idempotency key makes repetitions safe. */
  submit(key: string): Promise<void>;
  /** Submissions that returned another job than before. */
  readonly confused: readonly string[];
}

const PATIENCE_MS = 180_000;

export function createJobs(
  target: () => { readonly baseUrl: string; readonly key: string },
  request: SubmitRequest,
  receiver: Receiver,
): Jobs {
  const acknowledged = new Set<string>();
  const confused: string[] = [];
  const post = async (idempotency_key: string): Promise<string | null> => {
    const { baseUrl, key } = target();
    const response = await fetch(`${baseUrl}/api/clips`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...request, webhook_url: receiver.url, idempotency_key }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    if (!response?.ok) return null;
    const answer = (await response.json().catch(() => null)) as { job_id: string } | null;
    return answer?.job_id ?? null;
  };
  return {
    acknowledged,
    confused,
    open() {
      const arrived = new Set(receiver.arrivals.filter(isTaken).map(({ body }) => body.job_id));
      return [...acknowledged].filter((job) => !arrived.has(job));
    },
    async submit(key) {
      const deadline = Date.now() + PATIENCE_MS;
      let job: string | null = null;
      while (job === null && Date.now() < deadline) {
        job = await post(key);
        if (job === null) await delay(100);
      }
      if (job === null) throw new Error(`nobody took the job ${key} for ${PATIENCE_MS / 1000} s`);
      acknowledged.add(job);
      const again = await post(key);
      if (again !== null && again !== job) confused.push(key);
    },
  };
}
