import { bindEndpoint, type CallerAdmission, type Route } from '#http/router.ts';
import { hostAdmission, registrationAdmission } from '#render-gateway/admission.ts';
import { type CallerKind, type Callers, type Operation, splitScope } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { accountAdmission } from './api/admission.ts';
import { monitorAdmission, operatorAdmission, sessionAdmission } from './operate/admission.ts';
import * as OPERATIONS from './operations.ts';

/** Binds every operation to the service. */
export function createRoutes(service: Service): Route[] {
  const admissions: { [Kind in CallerKind]: CallerAdmission<Operation, Callers[Kind]> } = {
    public: publicAdmission,
    account: accountAdmission(service),
    host: hostAdmission(service),
    registration: registrationAdmission(service),
    operator: operatorAdmission(service),
    session: sessionAdmission(service),
    monitor: monitorAdmission(service),
  };
  return Object.entries<Operation>(OPERATIONS).map(([id, operation]) => {
    const [kind] = splitScope(operation.scope);
    return bindEndpoint(id, operation, service, admissions[kind] as unknown as CallerAdmission<Operation, never>);
  });
}

/** A page handles invalid ids itself. */
const publicAdmission: CallerAdmission<Operation, null> = {
  admit: () => null,
  readParam: (text) => text.toLowerCase(),
};
