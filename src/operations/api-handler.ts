import type { Handler } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';

/** Answers at one address of the client API, out of the parts of the service that it names. */
export type ApiHandler<Parts extends keyof Service, Name extends string = never> = Handler<
  Pick<Service, Parts>,
  Name,
  Caller
>;
