import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';

/** Creates a client of the operator. Without a token, the browser sends the cookie of the session. */
export const operatorWith = (adminToken: string | null): TickreelOperator =>
  createTickreelOperator({ baseUrl: location.origin, adminToken, maxRetries: 2 });

/** Calls an operation by its name in the service's reference, in the session of the console. */
export const { call } = operatorWith(null);
