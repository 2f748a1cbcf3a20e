import type { CallOperation } from './operations.ts';
import type { AccountOperations, Demo } from './shapes.ts';
import { sleep } from './sleep.ts';
import type { RequestOptions } from './transport.ts';

export interface InspectOptions extends RequestOptions {
  /** Called with the demo each time that it is not ready yet. */
  readonly onProgress?: ((demo: Demo) => void) | undefined;
}

export interface Demos {
  /** Inspects a demo, and resolves once its `state` is `ready` or `error`. An earlier result is returned at once. */
  inspect(demoUrl: string, options?: InspectOptions): Promise<Demo>;
  get(demoId: string, options?: RequestOptions): Promise<Demo>;
}

/** The first wait between two polls: an inspection takes seconds, or longer while all hosts are busy. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

export function createDemos(call: CallOperation<AccountOperations>): Demos {
  const get: Demos['get'] = (id, options) => call('getDemo', { params: { id } }, options);
  return {
    get,
    async inspect(demo_url, { onProgress, ...options } = {}) {
      let demo = await call('inspectDemo', { body: { demo_url } }, options);
      for (let waitMs = FIRST_WAIT_MS; demo.state === 'pending'; waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)) {
        onProgress?.(demo);
        await sleep(waitMs, options.signal);
        demo = await get(demo.id, { ...options, maxRetries: Infinity });
      }
      return demo;
    },
  };
}
