import { send } from './service.ts';
import { TestHost } from './test-host.ts';

/** A host of the Worker in the test's own isolate. */
export const hostOf = (token: string) => new TestHost(token, send);
