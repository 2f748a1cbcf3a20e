import type { Service } from './service.ts';

/** Creates a value at its first use, once for each service. An isolate has one service. */
export function perService<T>(create: (service: Service) => T): (service: Service) => T {
  const values = new WeakMap<Service, T>();
  return (service) => {
    if (!values.has(service)) values.set(service, create(service));
    return values.get(service) as T;
  };
}
