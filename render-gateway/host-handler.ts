import type { Handler } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import type { HostCaller } from '#storage/hosts.ts';

/** Answers at one address that render hosts talk to. The caller is the host; `:id` in an address is a job's. */
export type HostHandler<Parts extends keyof Service, Name extends string = 'id'> = Handler<
  Pick<Service, Parts>,
  Name,
  HostCaller
>;
