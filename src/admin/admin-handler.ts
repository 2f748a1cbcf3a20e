import type { Operator } from '#domain/operator.ts';
import type { Handler } from '#http/router.ts';
import type { Service } from '#service/service.ts';

/** Answers at one address of the operator's. */
export type AdminHandler<Parts extends keyof Service, Name extends string = never> = Handler<
  Pick<Service, Parts>,
  Name,
  Operator
>;
