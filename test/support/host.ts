import { send } from './service.ts';
import { TestHost } from './test-host.ts';

/** Creates a host that calls the Worker in the test's isolate. */
export const hostOf = (token: string) => new TestHost(token, send);
