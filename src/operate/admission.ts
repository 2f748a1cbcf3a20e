import { mayAct, type Operator, type Role } from '#domain/operate/operator.ts';
import { bearerToken, createAuthenticator, unauthorized } from '#http/credentials.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { type CallerAdmission, readId } from '#http/router.ts';
import { sha256Hex } from '#platform/digest.ts';
import { keyGuesses } from '#service/lib/admission.ts';
import { type Operation, splitScope } from '#service/lib/operation.ts';
import { perService, type Service } from '#service/lib/service.ts';
import { noteChanges } from '#service/operate/audit.ts';
import { findOperator } from '#storage/operate/operators.ts';
import { sessionsOf } from './session.ts';

/** The operator with the `ADMIN_TOKEN` of the deployment. */
const ROOT: Operator = { id: null, name: 'ADMIN_TOKEN', role: 'admin' };

type IdentifyOperator = (request: Request) => Promise<Operator>;

/**
 * Identifies the operator of a request: by `ADMIN_TOKEN`, by their own token, or by their console session. Compares
 * digests, so the time taken reveals nothing about the token. Limits guesses by address. Without `ADMIN_TOKEN` there is
 * no admin API.
 */
const identifyOperators = perService((service): IdentifyOperator => {
  const { database, settings, now } = service;
  const { adminToken } = settings;
  if (adminToken === null) return () => Promise.reject(notFound());
  const lookUp = async (sha256: string) =>
    sha256 === (await sha256Hex(adminToken)) ? ROOT : findOperator(database, sha256);
  const byToken = createAuthenticator(null, lookUp, now, keyGuesses(service));
  const sessions = sessionsOf(service);
  return async (request) => {
    if (bearerToken(request) !== null) return byToken(request);
    const operator = await sessions.read(request);
    if (operator === undefined) throw unauthorized('There is no token and no valid session.');
    return operator ?? ROOT;
  };
});

/** Admits operators to what their role allows, and records what they change. */
export function operatorAdmission(service: Service): CallerAdmission<Operation, Operator> {
  const identify = identifyOperators(service);
  return {
    async admit(request, { scope }) {
      const operator = await identify(request);
      const needed = splitScope(scope)[1] as Role;
      if (mayAct(operator, needed)) return operator;
      throw new ProblemError('forbidden', `This takes an operator of role ${needed}; yours is ${operator.role}.`);
    },
    readParam: readId,
    around: noteChanges(service),
  };
}

/** Admits operators to the sessions of the console. */
export function sessionAdmission(service: Service): CallerAdmission<Operation, Operator> {
  return { admit: identifyOperators(service), readParam: readId };
}

/**
 * Admits a monitor by the token for scraping, and limits guesses by address. Without a configured token, all get 404.
 */
export function monitorAdmission(service: Service): CallerAdmission<Operation, null> {
  const { metricsToken } = service.settings;
  if (metricsToken === null) return { admit: () => Promise.reject(notFound()), readParam: readId };
  const lookUp = async (sha256: string) => (sha256 === (await sha256Hex(metricsToken)) ? true : null);
  const byToken = createAuthenticator(null, lookUp, service.now, keyGuesses(service));
  return { admit: (request) => byToken(request).then(() => null), readParam: readId };
}
