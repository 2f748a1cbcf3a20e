import type { CallOperation } from './operations.ts';
import type { AccountOperations, Demo } from './shapes.ts';
import { sleep } from './sleep.ts';
import type { RequestOptions } from './transport.ts';

export interface InspectOptions extends RequestOptions {
  /** Hears how the demo stands, each time that it was asked and is not read yet. */
  readonly onProgress?: ((demo: Demo) => void) | undefined;
}

export interface Demos {
  /**
   * Has a demo looked into, and resolves once its `state` is `ready` or `error`. What was found before is answered at
   * once.
   */
  inspect(demoUrl: string, options?: InspectOptions): Promise<Demo>;
  get(demoId: string, options?: RequestOptions): Promise<Demo>;
}

/** How often it is asked whether the demo is read: it takes seconds, or as long as hosts are busy. */
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
