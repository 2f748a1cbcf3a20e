import type { ObjectsByName } from '#platform/placed-in.ts';
import type { Bound, DispatcherStub } from '#rpc/bindings.ts';
import type { DispatcherRpc } from '#rpc/dispatcher.ts';

/** Returns the only dispatcher. Its name is that of the object which stores the queue. */
export function dispatcherOf(namespace: ObjectsByName<Bound<DispatcherRpc>>): DispatcherStub {
  return namespace.getByName('shard-0');
}
