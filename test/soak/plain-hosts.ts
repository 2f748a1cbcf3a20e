import { setTimeout as delay } from 'node:timers/promises';
import { TestHost } from '../support/test-host.ts';

const HOSTS = 2;
const GONE = { code: 'demo_404', detail: 'as told' };

interface PlainHosts {
  readonly baseUrl: string;
  readonly token: string;
  /** Milliseconds that each job takes. */
  readonly pauseMs: number;
}

/** Starts two hosts that end each job for good without rendering it, because only the service is tested. */
export function startPlainHosts({ baseUrl, token, pauseMs }: PlainHosts) {
  /** The jobs that they got, in order. */
  const grants: string[] = [];
  const stopped = new AbortController();
  const signal = stopped.signal;
  const host = new TestHost(token, (path, { headers, ...init }) =>
    fetch(baseUrl + path, { ...init, headers: { ...headers, Connection: 'close' }, signal }),
  );
  const next = async () => {
    const grant = await host.claim({}, 20);
    if (!grant) return;
    grants.push(grant.job_id);
    for (const say of [() => host.heartbeat(grant), () => host.report(grant, 'fail', GONE)]) {
      await delay(pauseMs / 2);
      await (await say()).arrayBuffer();
    }
  };
  const work = async () => {
    // A job whose answer was lost is granted again.
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
