import type { ObjectsByName } from '../../platform/placed-in.ts';
import type { Dispatcher } from './dispatcher.ts';

/** The ready queue. One shard for now; its name is its place in the ring. */
export function dispatcherOf(namespace: ObjectsByName<Dispatcher>): DurableObjectStub<Dispatcher> {
  return namespace.getByName('shard-0');
}
