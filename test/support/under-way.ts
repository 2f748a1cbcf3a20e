import { runInDurableObject } from 'cloudflare:test';
import { dispatcherOf } from '#service/dispatchers.ts';
import { bindings } from './service.ts';

/** How much work each object of this isolate has under way, by its storage, as it told the platform. */
const underWay = new WeakMap<DurableObjectStorage, number>();

/** Counts the work of objects from now on. To be called once, before the first has any. */
export async function watchWork(): Promise<void> {
  await runInDurableObject(dispatcherOf(bindings.DISPATCHER), (_, state) => {
    const states = Object.getPrototypeOf(state) as DurableObjectState;
    const { waitUntil } = states;
    Object.defineProperty(states, 'waitUntil', {
      value(this: DurableObjectState, work: Promise<unknown>) {
        const { storage } = this;
        const add = (n: number) => underWay.set(storage, (underWay.get(storage) ?? 0) + n);
        add(1);
        waitUntil.call(
          this,
          work.finally(() => add(-1)),
        );
      },
    });
  });
}

/** Whether an object still works on what it was told. */
export function isUnderWay(storage: DurableObjectStorage): boolean {
  return (underWay.get(storage) ?? 0) > 0;
}
