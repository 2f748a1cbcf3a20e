import * as z from 'zod';

/**
 * Where objects live. Both are chosen once and for good, before the first job: an object stays where it was first
 * reached, and one of a jurisdiction is another object than the one of the same name without.
 * https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
export interface Place {
  /** Objects are stored and run in there, and nowhere else. Database and bucket have to be made there as well. */
  readonly jurisdiction: 'eu' | 'fedramp' | null;
  /** Where a new object is made, instead of near whoever reaches it first. */
  readonly locationHint: DurableObjectLocationHint | null;
}

export const JURISDICTIONS = z.enum(['eu', 'fedramp']);
export const LOCATION_HINTS = z.enum(['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']);

/** What is asked of a namespace: the stub of the object with a name. */
export interface ObjectsByName<T extends Rpc.DurableObjectBranded | undefined> {
  getByName(name: string): DurableObjectStub<T>;
}

/** The objects of a namespace in their place. */
export function placedIn<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  { jurisdiction, locationHint }: Place,
): ObjectsByName<T> {
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  const options = locationHint === null ? undefined : { locationHint };
  return { getByName: (name) => within.getByName(name, options) };
}
