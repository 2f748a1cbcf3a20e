import type { Dispatcher } from './dispatcher.ts';

/** The ready queue. One shard for now; its name is its place in the ring. */
export function dispatcherOf(namespace: DurableObjectNamespace<Dispatcher>): DurableObjectStub<Dispatcher> {
  return namespace.getByName('shard-0');
}
