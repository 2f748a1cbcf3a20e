import type { Handler } from '#http/router.ts';
import type { Service } from '#service/service.ts';

/** Answers at one address that is open to everybody. What is shown is a clip, so all may look one up. */
export type PageHandler<Parts extends keyof Service = never, Name extends string = never> = Handler<
  Pick<Service, 'settings' | 'files' | 'databases' | 'job' | 'clipIds' | 'limits' | Parts>,
  Name
>;
