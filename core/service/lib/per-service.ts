import type { Service } from './service.ts';

/** Creates a value at its first use, once for each service. An isolate has one service. */
export function perService<T>(create: (service: Service) => T): (service: Service) => T {
  const values = new WeakMap<Service, T>();
  return (service) => {
    if (!values.has(service)) values.set(service, create(service));
    return values.get(service) as T;
  };
}

/**
 * Like `perService` for a value that is loaded asynchronously. Concurrent first requests each load it: workerd forbids
 * a request to await the I/O of another.
 */
export function loadedPerService<T>(load: (service: Service) => Promise<T>): (service: Service) => Promise<T> {
  const values = new WeakMap<Service, { readonly value: T }>();
  return async (service) => {
    const loaded = values.get(service) ?? { value: await load(service) };
    values.set(service, loaded);
    return loaded.value;
  };
}
