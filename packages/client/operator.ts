import { type CallOperation, createCall } from './operations.ts';
import { OPERATOR_ROUTES, type OperatorOperations } from './operator-shapes.ts';
import { required, type ServiceOptions, transportOptions } from './tickreel.ts';
import { createTransport } from './transport.ts';

interface OperatorOptions extends ServiceOptions {
  /** The operator's token; `TICKREEL_ADMIN_TOKEN` of the environment if undefined. null: the page's cookie instead. */
  readonly adminToken?: string | null | undefined;
}

/** The operator's calls, by their names in the service's reference: `call('listHosts')`. */
export interface TickreelOperator {
  readonly call: CallOperation<OperatorOperations>;
}

/**
 * Creates a client for operators, who have a checkout; it is not in the package. Throws if the address or the token is
 * missing.
 */
export function createTickreelOperator(options: OperatorOptions = {}): TickreelOperator {
  const { adminToken } = options;
  const token = adminToken === null ? null : required('adminToken', adminToken, 'TICKREEL_ADMIN_TOKEN');
  return { call: createCall(createTransport({ ...transportOptions(options), token }), OPERATOR_ROUTES) };
}
