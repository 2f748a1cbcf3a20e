import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { Grant } from '#protocol/host/gateway.ts';
import { CAPABILITIES, hostAt } from '#test/support/test-host.ts';
import { startTestStack } from '../../support/test-stack.ts';

const POLL_S = 0.5;

/** Ignores a broken connection: the job of a lost grant offers itself again. Throws other errors. */
function broken(error: unknown): null {
  if (error instanceof TypeError) return null;
  throw error;
}

interface Switchboard {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Claims jobs of all but the highest frame rate for all test files, because they share one service and one queue, and a host gets whichever job is next.
 * `GET /<job id>?after=<fence>` answers with the grant of the job as soon as there is one with a higher fence. The
 * first heartbeat is sent at once, so a grant lasts a whole lease.
 */
async function startSwitchboard(baseUrl: string, hostToken: string): Promise<Switchboard> {
  const host = hostAt(baseUrl, hostToken);
  const grants = new Map<string, Grant>();
  const waiting = new Set<() => void>();
  let stopped = false;

  async function claimAll(): Promise<void> {
    while (!stopped) {
      const grant = await host.claim({ max_fps: CAPABILITIES.max_fps - 1 }, POLL_S).catch(broken);
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

/** The service that all files of the suite share. */
export interface RunningService {
  readonly baseUrl: string;
  readonly adminToken: string;
  readonly hostToken: string;
  readonly switchboardUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    service: RunningService;
  }
}

/**
 * Starts one service for the suite, with waits a thousandth of the real ones, and the host that claims its jobs. A
 * lease outlasts any test, because the host sends one heartbeat.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // One host claims for all tests and holds hundreds of jobs.
  const names = ['REQUESTS', 'SUBMITS', 'UPLOADS', 'FOLLOWS', 'HOST_REQUESTS', 'KEY_GUESSES', 'CLIP_GUESSES', 'JOBS'];
  // Other tests check the limits; here one address sends thousands of requests a minute.
  const limits = names.map((name) => [`LIMIT_${name}`, '1000000']);
  const variables = { HOST_SLOTS: '100000', ...Object.fromEntries(limits) };
  const stack = await startTestStack({ timeScale: 0.001, leaseSeconds: 600, variables });
  const { admin_token, host_token } = stack.credentials;
  const switchboard = await startSwitchboard(stack.baseUrl, host_token);
  project.provide('service', {
    baseUrl: stack.baseUrl,
    adminToken: admin_token,
    hostToken: host_token,
    switchboardUrl: switchboard.url,
  });
  return async () => {
    await switchboard.stop();
    await stack.remove();
  };
}
