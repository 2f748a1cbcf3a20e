import type { DataLocation } from './settings.ts';

/** The part of a namespace that callers use: the stub of an object by its name. */
export interface ObjectsByName<T extends Rpc.DurableObjectBranded | undefined> {
  getByName(name: string): DurableObjectStub<T>;
}

/** Returns the objects of a namespace in their data location. */
export function placedIn<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  { jurisdiction, locationHint }: DataLocation,
): ObjectsByName<T> {
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  const options = locationHint === null ? undefined : { locationHint };
  return { getByName: (name) => within.getByName(name, options) };
}
