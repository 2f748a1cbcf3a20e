import type { Miniflare } from 'miniflare';
import * as z from 'zod';

const HeapUsage = z.looseObject({ usedSize: z.number(), backingStorageSize: z.number() });

/** Returns the bytes of a Worker's isolate, before and after a garbage collection. */
export async function heapOf(
  runtime: Pick<Miniflare, 'getInspectorURL'>,
  worker: string,
): Promise<{ found: number; collected: number }> {
  const { ask, close } = await inspect(runtime, worker);
  const found = sizeOf(await ask('Runtime.getHeapUsage'));
  // A snapshot begins with a garbage collection. The snapshot itself is discarded.
  await ask('HeapProfiler.takeHeapSnapshot');
  const collected = sizeOf(await ask('Runtime.getHeapUsage'));
  close();
  return { found, collected };
}

/** Objects, and the bytes of buffers, which are outside of the heap. */
function sizeOf(answer: unknown): number {
  const { usedSize, backingStorageSize } = HeapUsage.parse(answer);
  return usedSize + backingStorageSize;
}

interface Inspector {
  ask(method: string): Promise<unknown>;
  close(): void;
}

/** Queries the Worker's isolate by the protocol of V8's inspector. */
async function inspect(runtime: Pick<Miniflare, 'getInspectorURL'>, worker: string): Promise<Inspector> {
  const socket = new WebSocket(new URL(`/core:user:${worker}`, await runtime.getInspectorURL()));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector does not answer'));
  });
  let id = 0;
  const ask = (method: string) => {
    const asked = ++id;
    return new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data));
        if (answer.id === asked) resolve(answer.result);
      });
      socket.send(JSON.stringify({ id: asked, method }));
    });
  };
  return { ask, close: () => socket.close() };
}
