import { bindEndpoint, type CallerScope, type Route } from '#http/router.ts';
import { hostScope, registrationScope } from '#render-gateway/caller-scopes.ts';
import { type CallerKind, type Callers, type Operation, splitScope } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { monitorScope, operatorScope, sessionScope } from './admin/admin-auth.ts';
import { accountScope } from './admit-caller.ts';
import * as OPERATIONS from './operations.ts';

/** Binds every operation to the service. */
export function createRoutes(service: Service): Route[] {
  const scopes: { [Kind in CallerKind]: CallerScope<Operation, Callers[Kind]> } = {
    public: publicScope,
    account: accountScope(service),
    host: hostScope(service),
    registration: registrationScope(service),
    operator: operatorScope(service),
    session: sessionScope(service),
    monitor: monitorScope(service),
  };
  return Object.entries<Operation>(OPERATIONS).map(([id, operation]) => {
    const [kind] = splitScope(operation.scope);
    return bindEndpoint(id, operation, service, scopes[kind] as unknown as CallerScope<Operation, never>);
  });
}

/** A page itself shows what is wrong with its address. */
const publicScope: CallerScope<Operation, null> = { admit: () => null, readParam: (text) => text.toLowerCase() };
