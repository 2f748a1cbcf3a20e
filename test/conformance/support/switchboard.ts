import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Grant } from '#protocol/gateway.ts';
import { CAPABILITIES } from '../../support/capabilities.ts';
import { hostAt } from '../../support/test-host.ts';

/** The switchboard never claims jobs of this frame rate, so they stay pending. */
export const PARKED_FPS = CAPABILITIES.max_fps;

const POLL_S = 0.5;

/** Ignores a broken connection: the job of a lost grant offers itself again. Throws other errors. */
function broken(error: unknown): null {
  if (error instanceof TypeError) return null;
  throw error;
}

export interface Switchboard {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Claims jobs for all test files, because they share one service and one queue, and a host gets whichever job is next.
 * `GET /<job id>?after=<fence>` answers with the grant of the job as soon as there is one with a higher fence. The
 * first heartbeat is sent at once, so a grant lasts a whole lease.
 */
export async function startSwitchboard(baseUrl: string, hostToken: string): Promise<Switchboard> {
  const host = hostAt(baseUrl, hostToken);
  const grants = new Map<string, Grant>();
  const waiting = new Set<() => void>();
  let stopped = false;

  async function claimAll(): Promise<void> {
    while (!stopped) {
      const grant = await host.claim({ max_fps: PARKED_FPS - 1 }, POLL_S).catch(broken);
      if (!grant || (await host.begin(grant).catch(broken)) === false) continue;
      grants.set(grant.job_id, grant);
      for (const look of [...waiting]) look();
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://switchboard');
    const after = Number(url.searchParams.get('after') ?? 0);
    const look = () => {
      const grant = grants.get(url.pathname.slice(1));
      if (!grant || grant.lease.fence <= after) return;
      waiting.delete(look);
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(grant));
    };
    waiting.add(look);
    response.once('close', () => waiting.delete(look));
    look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const claiming = claimAll();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      stopped = true;
      server.closeAllConnections();
      server.close();
      await claiming;
    },
  };
}
