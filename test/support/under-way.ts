import { runInDurableObject } from 'cloudflare:test';
import { dispatcherOf } from '#service/dispatcher.ts';
import { bindings } from './service.ts';

/** Counts the running work of each object of this isolate, by its storage. */
const underWay = new WeakMap<DurableObjectStorage, number>();

/** Starts to count. Call it once, before the objects work. */
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

/** Returns whether an object has running work. */
export function isUnderWay(storage: DurableObjectStorage): boolean {
  return (underWay.get(storage) ?? 0) > 0;
}
