import type { TestProject } from 'vitest/node';
import { startTestStack } from '../../support/test-stack.ts';
import { startSwitchboard } from './switchboard.ts';

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
