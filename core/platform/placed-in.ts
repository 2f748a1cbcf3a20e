import type { DataLocation } from './settings.ts';

/** What is asked of a namespace: the stub of the object with a name. */
export interface ObjectsByName<T extends Rpc.DurableObjectBranded | undefined> {
  getByName(name: string): DurableObjectStub<T>;
}

/** The objects of a namespace in their place. */
export function placedIn<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  { jurisdiction, locationHint }: DataLocation,
): ObjectsByName<T> {
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  const options = locationHint === null ? undefined : { locationHint };
  return { getByName: (name) => within.getByName(name, options) };
}
